#include <fusewise/simd.h>
#include <fusewise/math.h>
#include <snake_beta/snake_beta.math.h>
using namespace fusewise;
extern "C" void k(const float*in,const float*p,float*out,long n){ using Op=ops::snake_beta::Forward; using V=rt::Vec<float>;
 V c[5]; for(int i=0;i<Op::kParams;i++) c[i]=V(p[i]);
 for(long i=0;i<n;i+=rt::kLanes){ V x[Op::kReads],y[Op::kWrites]; for(int k=0;k<Op::kReads;k++)x[k]=rt::load(in+k*n+i); Op::apply(x,c,y); for(int k=0;k<Op::kWrites;k++)rt::store(out+k*n+i,y[k]);}}
