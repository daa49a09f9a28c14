// Generated from specs/losses/cosine_similarity.yaml by `fusewise generate`. Do not edit.
//
// out = sum(x * y) / (maximum(norm(x), eps) * maximum(norm(y), eps))
//
// sum0 = sum(x * y)
// norm0 = norm(x)
// maximum0 = maximum(norm0, eps)
// norm1 = norm(y)
// maximum1 = maximum(norm1, eps)
// mul0 = maximum0 * maximum1
// div0 = grad_out / mul0
// mul1 = sum0 / mul0 / mul0 * grad_out
// mul2 = mul1 * maximum1
// mul3 = mul1 * maximum0
// where0 = -(mul3 * 0.5) if norm1 == eps else -mul3
// where1 = 0 if norm1 == 0 else where0 / norm1
// where2 = 0 if norm1 < eps else y * where1
// where3 = -(mul2 * 0.5) if norm0 == eps else -mul2
// where4 = 0 if norm0 == 0 else where3 / norm0
// where5 = 0 if norm0 < eps else x * where4
// grad_x = where5 + div0 * y
// grad_y = where2 + div0 * x
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 96
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 293
// forward: 2 read and 0 written for each element, 0 read and 4 written for each row
// backward: 2 read and 2 written for each element, 4 read and 0 written for each row
// double_backward: 4 read and 2 written for each element, 1 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::cosine_similarity {

struct ForwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 28;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T y = reads[1];
    writes[0] = x * y;
    writes[1] = x * x;
    writes[2] = y * y;
  }
};

struct ForwardRows {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 28;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 28;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T eps = params[0];
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    hoisted[0] = total0 / (maximum2 * maximum3);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    writes[0] = hoisted[0];
    writes[1] = total0;
    writes[2] = total1;
    writes[3] = total2;
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 57;
  static constexpr unsigned kHoisted = 5;
  static constexpr unsigned kHoistedFrom = 57;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_out = reads[0];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T kept_total2 = reads[5];
    const T eps = params[0];
    const T sqrt0 = rt::sqrt(kept_total1);
    const T maximum0 = rt::maximum(sqrt0, eps);
    const T sqrt1 = rt::sqrt(kept_total2);
    const T maximum1 = rt::maximum(sqrt1, eps);
    const T mul0 = maximum0 * maximum1;
    const T div0 = grad_out / mul0;
    const T mul1 = kept_total0 / mul0 / mul0 * grad_out;
    const T mul2 = mul1 * maximum1;
    const T mul3 = mul1 * maximum0;
    const T where0 = rt::where(sqrt1 == eps, -(mul3 * T(0.5)), -mul3);
    const T where1 = rt::where(sqrt1 == T(0), T(0), where0 / sqrt1);
    const T where3 = rt::where(sqrt0 == eps, -(mul2 * T(0.5)), -mul2);
    const T where4 = rt::where(sqrt0 == T(0), T(0), where3 / sqrt0);
    hoisted[0] = div0;
    hoisted[1] = rt::where(sqrt1 < eps, T(1), T(0));
    hoisted[2] = where1;
    hoisted[3] = rt::where(sqrt0 < eps, T(1), T(0));
    hoisted[4] = where4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[1];
    const T y = reads[2];
    const T div0 = hoisted[0];
    const T where1 = hoisted[2];
    const T where4 = hoisted[4];
    const T where2 = rt::where((hoisted[1] != T(0)), T(0), y * where1);
    const T where5 = rt::where((hoisted[3] != T(0)), T(0), x * where4);
    writes[0] = where5 + div0 * y;
    writes[1] = where2 + div0 * x;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 2020;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[2] != T(0);
    const T where2 = rt::where(has_grad_grad_y, grad_grad_y * x, T(0));
    const T where3 = rt::where(has_grad_grad_x, grad_grad_x * y, T(0));
    writes[0] = x * y;
    writes[1] = x * x;
    writes[2] = y * y;
    writes[3] = grad_grad_x * x;
    writes[4] = grad_grad_y * y;
    writes[5] = where2 + where3;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 2020;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2016;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T eps = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[2] != T(0);
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T mul5 = maximum2 * maximum3;
    const rt::Mask<T> lt2 = sqrt3 < eps;
    const rt::Mask<T> eq4 = sqrt3 == T(0);
    const rt::Mask<T> lt3 = sqrt2 < eps;
    const rt::Mask<T> eq5 = sqrt2 == T(0);
    const rt::Mask<T> logical_and4 = (!lt3) & has_grad_grad_x;
    const T div8 = total3 / sqrt2;
    const T where55 = rt::where(has_grad_grad_x, -div8, T(0));
    const T where56 = rt::where(lt3, T(0), where55);
    const T where57 = rt::where(logical_and4, where56, T(0));
    const T where58 = rt::where(eq5, T(0), where57);
    const T where59 = rt::where(has_grad_grad_x, -(div8 * T(0.5)), T(0));
    const T where60 = rt::where(lt3, T(0), where59);
    const T where61 = rt::where(logical_and4, where60, T(0));
    const T where62 = rt::where(eq5, T(0), where61);
    const rt::Mask<T> logical_and5 = (!lt2) & has_grad_grad_y;
    const T div9 = total4 / sqrt3;
    const T where63 = rt::where(has_grad_grad_y, -div9, T(0));
    const T where64 = rt::where(lt2, T(0), where63);
    const T where65 = rt::where(logical_and5, where64, T(0));
    const T where66 = rt::where(eq4, T(0), where65);
    const T where67 = rt::where(has_grad_grad_y, -(div9 * T(0.5)), T(0));
    const T where68 = rt::where(lt2, T(0), where67);
    const T where69 = rt::where(logical_and5, where68, T(0));
    const T where70 = rt::where(eq4, T(0), where69);
    const T where71 = rt::where(sqrt3 == eps, where70, where66);
    const rt::Mask<T> logical_and6 = (!eq4) & logical_and5;
    const T where72 = rt::where(logical_and6, where71 * maximum2, T(0));
    const T where73 = rt::where(sqrt2 == eps, where62, where58);
    const rt::Mask<T> logical_and7 = (!eq5) & logical_and4;
    const T where74 = rt::where(logical_and7, where73 * maximum3, T(0));
    const T mul6 = (where72 + where74) * (total0 / mul5 / mul5);
    const T where75 = rt::where(logical_and6 | logical_and7, mul6, T(0));
    hoisted[0] = where75 + total5 / mul5;
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 26;
  static constexpr unsigned kRowScalars = 2020;
  static constexpr unsigned kHoisted = 13;
  static constexpr unsigned kHoistedFrom = 2020;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_out = reads[2];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T eps = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[2] != T(0);
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T mul5 = maximum2 * maximum3;
    const T div8 = grad_out / mul5;
    const T div9 = total0 / mul5 / mul5;
    const T mul6 = div9 * grad_out;
    const T mul7 = mul6 * maximum3;
    const T mul8 = mul6 * maximum2;
    const rt::Mask<T> lt2 = sqrt3 < eps;
    const rt::Mask<T> eq4 = sqrt3 == eps;
    const T where55 = rt::where(eq4, -(mul8 * T(0.5)), -mul8);
    const rt::Mask<T> eq5 = sqrt3 == T(0);
    const T div10 = where55 / sqrt3;
    const rt::Mask<T> lt3 = sqrt2 < eps;
    const rt::Mask<T> eq6 = sqrt2 == eps;
    const T where56 = rt::where(eq6, -(mul7 * T(0.5)), -mul7);
    const rt::Mask<T> eq7 = sqrt2 == T(0);
    const T div11 = where56 / sqrt2;
    const rt::Mask<T> logical_not2 = !lt3;
    const rt::Mask<T> logical_and4 = logical_not2 & has_grad_grad_x;
    const T div12 = total3 / sqrt2;
    const T where62 = rt::where(has_grad_grad_x, -(div11 / sqrt2 * total3), T(0));
    const T where63 = rt::where(lt3, T(0), where62);
    const T where64 = rt::where(logical_and4, where63, T(0));
    const T where65 = rt::where(eq7, T(0), where64);
    const T where66 = rt::where(has_grad_grad_x, -div12, T(0));
    const T where67 = rt::where(lt3, T(0), where66);
    const T where68 = rt::where(logical_and4, where67, T(0));
    const T where69 = rt::where(eq7, T(0), where68);
    const T where70 = rt::where(has_grad_grad_x, -(div12 * T(0.5)), T(0));
    const T where71 = rt::where(lt3, T(0), where70);
    const T where72 = rt::where(logical_and4, where71, T(0));
    const T where73 = rt::where(eq7, T(0), where72);
    const rt::Mask<T> logical_not3 = !lt2;
    const rt::Mask<T> logical_and5 = logical_not3 & has_grad_grad_y;
    const T div13 = total4 / sqrt3;
    const T where77 = rt::where(has_grad_grad_y, -(div10 / sqrt3 * total4), T(0));
    const T where78 = rt::where(lt2, T(0), where77);
    const T where79 = rt::where(logical_and5, where78, T(0));
    const T where80 = rt::where(eq5, T(0), where79);
    const T where81 = rt::where(has_grad_grad_y, -div13, T(0));
    const T where82 = rt::where(lt2, T(0), where81);
    const T where83 = rt::where(logical_and5, where82, T(0));
    const T where84 = rt::where(eq5, T(0), where83);
    const T where85 = rt::where(has_grad_grad_y, -(div13 * T(0.5)), T(0));
    const T where86 = rt::where(lt2, T(0), where85);
    const T where87 = rt::where(logical_and5, where86, T(0));
    const T where88 = rt::where(eq5, T(0), where87);
    const T where89 = rt::where(eq4, where88, where84);
    const rt::Mask<T> logical_and6 = (!eq5) & logical_and5;
    const T where90 = rt::where(logical_and6, where89 * maximum2, T(0));
    const T where91 = rt::where(logical_and6, where89 * mul6, T(0));
    const T where92 = rt::where(eq6, where73, where69);
    const rt::Mask<T> logical_and7 = (!eq7) & logical_and4;
    const T where93 = rt::where(logical_and7, where92 * maximum3, T(0));
    const T where94 = rt::where(logical_and7, where92 * mul6, T(0));
    const T mul9 = (where90 + where93) * grad_out;
    const rt::Mask<T> logical_or1 = logical_and6 | logical_and7;
    const T div14 = mul9 / mul5;
    const T where95 = rt::where(logical_or1, -(div9 / mul5 * mul9), T(0));
    const T div15 = div14 / mul5;
    const T where96 = rt::where(logical_or1, -(div9 * div14), T(0));
    const T add4 = where95 - div8 / mul5 * total5 + where96;
    const T add5 = where91 + add4 * maximum3;
    const T add6 = where94 + add4 * maximum2;
    const T where97 = rt::where(eq4, add6 * T(0.5), add6);
    const T where98 = rt::where(lt2, T(0), where97);
    const T where99 = rt::where(eq5, T(0), (where80 + where98) / sqrt3);
    const T where101 = rt::where(eq6, add5 * T(0.5), add5);
    const T where102 = rt::where(lt3, T(0), where101);
    const T where103 = rt::where(eq7, T(0), (where65 + where102) / sqrt2);
    hoisted[0] = div8;
    hoisted[1] = rt::where(lt2, T(1), T(0));
    hoisted[2] = rt::where(eq5, T(1), T(0));
    hoisted[3] = div10;
    hoisted[4] = rt::where(lt3, T(1), T(0));
    hoisted[5] = rt::where(eq7, T(1), T(0));
    hoisted[6] = div11;
    hoisted[7] = rt::where(logical_or1, T(1), T(0));
    hoisted[8] = div15;
    hoisted[9] = rt::where(logical_and6 | logical_not3, T(1), T(0));
    hoisted[10] = where99;
    hoisted[11] = rt::where(logical_and7 | logical_not2, T(1), T(0));
    hoisted[12] = where103;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[2] != T(0);
    const T div8 = hoisted[0];
    const rt::Mask<T> lt2 = hoisted[1] != T(0);
    const rt::Mask<T> eq5 = hoisted[2] != T(0);
    const T div10 = hoisted[3];
    const rt::Mask<T> lt3 = hoisted[4] != T(0);
    const rt::Mask<T> eq7 = hoisted[5] != T(0);
    const T div11 = hoisted[6];
    const rt::Mask<T> logical_or1 = hoisted[7] != T(0);
    const T div15 = hoisted[8];
    const T where99 = hoisted[10];
    const T where103 = hoisted[12];
    const T where57 = rt::where(has_grad_grad_y, grad_grad_y * div8, T(0));
    const T where58 = rt::where(has_grad_grad_x, grad_grad_x * div8, T(0));
    const T where59 = rt::where(has_grad_grad_x, grad_grad_x * div11, T(0));
    const T where60 = rt::where(lt3, T(0), where59);
    const T where61 = rt::where(eq7, T(0), where60);
    const T where74 = rt::where(has_grad_grad_y, grad_grad_y * div10, T(0));
    const T where75 = rt::where(lt2, T(0), where74);
    const T where76 = rt::where(eq5, T(0), where75);
    const T where100 = rt::where((hoisted[9] != T(0)), y * where99, T(0));
    const T where104 = rt::where((hoisted[11] != T(0)), x * where103, T(0));
    const T where105 = rt::where(logical_or1, div15 * y, T(0));
    const T where106 = rt::where(logical_or1, div15 * x, T(0));
    writes[0] = where57 + where61 + where104 + where105;
    writes[1] = where58 + where76 + where100 + where106;
  }
};

}  // namespace fusewise::ops::cosine_similarity
