// Generated from specs/recurrent/lstm_cell.yaml by `fusewise generate`. Do not edit.
// The formulas stand in lstm_cell.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::lstm_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& i = reads[0];
  const Value& f = reads[1];
  const Value& g = reads[2];
  const Value& o = reads[3];
  const Value& c = reads[4];
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value c_next = sigmoid0 * c + sigmoid1 * tanh0;
  const Value sigmoid2 = aten::sigmoid(o);
  const Value tanh1 = aten::tanh(c_next);
  writes[0] = sigmoid2 * tanh1;
  writes[1] = c_next;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_h = reads[0];
  const Value& grad_c_out = reads[1];
  const Value& i = reads[2];
  const Value& f = reads[3];
  const Value& g = reads[4];
  const Value& o = reads[5];
  const Value& c = reads[6];
  const bool has_grad_h = params[0].as<bool>();
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value mul0 = 2 * g;
  const Value stop_grad0 = aten::detach(i);
  const Value where0 = aten::where(condition(has_grad_h, reads[0]), i, stop_grad0);
  const Value stop_grad1 = aten::detach(f);
  const Value where1 = aten::where(condition(has_grad_h, reads[0]), f, stop_grad1);
  const Value stop_grad2 = aten::detach(g);
  const Value where2 = aten::where(condition(has_grad_h, reads[0]), g, stop_grad2);
  const Value stop_grad3 = aten::detach(o);
  const Value where3 = aten::where(condition(has_grad_h, reads[0]), o, stop_grad3);
  const Value stop_grad4 = aten::detach(c);
  const Value where4 = aten::where(condition(has_grad_h, reads[0]), c, stop_grad4);
  const Value sigmoid2 = aten::sigmoid(where1);
  const Value sigmoid3 = aten::sigmoid(where0);
  const Value tanh1 = aten::tanh(where2);
  const Value add0 = sigmoid2 * where4 + sigmoid3 * tanh1;
  const Value sigmoid4 = aten::sigmoid(where3);
  const Value stop_grad5 = aten::detach(grad_h);
  const Value where5 = aten::where(condition(has_grad_h, reads[0]), grad_h, stop_grad5);
  const Value tanh2 = aten::tanh(add0);
  const Value sigmoid5 = aten::sigmoid(mul0);
  const Value sigmoid6 = aten::sigmoid(-mul0);
  const Value sigmoid7 = aten::sigmoid(-i);
  const Value sigmoid8 = aten::sigmoid(-f);
  const Value mul1 = 2 * add0;
  const Value sigmoid9 = aten::sigmoid(mul1);
  const Value sigmoid10 = aten::sigmoid(-mul1);
  const Value where6 = aten::where(condition(has_grad_h, reads[0]), where5 * sigmoid4 * (4 *
      (sigmoid9 * sigmoid10)), 0);
  const Value add1 = grad_c_out + where6;
  const Value sigmoid11 = aten::sigmoid(-where3);
  writes[0] = add1 * tanh0 * (sigmoid1 * sigmoid7);
  writes[1] = add1 * c * (sigmoid0 * sigmoid8);
  writes[2] = add1 * sigmoid1 * (4 * (sigmoid5 * sigmoid6));
  writes[3] = aten::where(condition(has_grad_h, reads[0]), where5 * tanh2 * (sigmoid4 * sigmoid11),
      0);
  writes[4] = add1 * sigmoid0;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_i = reads[0];
  const Value& grad_grad_f = reads[1];
  const Value& grad_grad_g = reads[2];
  const Value& grad_grad_o = reads[3];
  const Value& grad_grad_c = reads[4];
  const Value& grad_h = reads[5];
  const Value& grad_c_out = reads[6];
  const Value& i = reads[7];
  const Value& f = reads[8];
  const Value& g = reads[9];
  const Value& o = reads[10];
  const Value& c = reads[11];
  const bool has_grad_h = params[0].as<bool>();
  const bool has_grad_grad_gates = params[1].as<bool>();
  const bool has_grad_grad_c = params[2].as<bool>();
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value c_next = sigmoid0 * c + sigmoid1 * tanh0;
  const Value sigmoid2 = aten::sigmoid(o);
  const bool logical_or0 = has_grad_grad_gates | has_grad_h;
  const bool logical_or1 = has_grad_grad_c | has_grad_h;
  const Value stop_grad0 = aten::detach(i);
  const Value where0 = aten::where(condition(has_grad_h, reads[0]), i, stop_grad0);
  const Value stop_grad1 = aten::detach(f);
  const Value where1 = aten::where(condition(has_grad_h, reads[0]), f, stop_grad1);
  const Value stop_grad2 = aten::detach(g);
  const Value where2 = aten::where(condition(has_grad_h, reads[0]), g, stop_grad2);
  const Value stop_grad3 = aten::detach(o);
  const Value where3 = aten::where(condition(has_grad_h, reads[0]), o, stop_grad3);
  const Value stop_grad4 = aten::detach(c);
  const Value where4 = aten::where(condition(has_grad_h, reads[0]), c, stop_grad4);
  const Value sigmoid3 = aten::sigmoid(where1);
  const Value sigmoid4 = aten::sigmoid(where0);
  const Value tanh1 = aten::tanh(where2);
  const Value add0 = sigmoid3 * where4 + sigmoid4 * tanh1;
  const Value sigmoid5 = aten::sigmoid(where3);
  const Value stop_grad5 = aten::detach(grad_h);
  const Value where5 = aten::where(condition(has_grad_h, reads[0]), grad_h, stop_grad5);
  const Value tanh2 = aten::tanh(add0);
  const Value mul0 = 2 * add0;
  const Value sigmoid6 = aten::sigmoid(mul0);
  const Value sigmoid7 = aten::sigmoid(-mul0);
  const Value mul1 = 4 * (sigmoid6 * sigmoid7);
  const Value sigmoid8 = aten::sigmoid(-where3);
  const Value where6 = aten::where(condition(has_grad_grad_c, reads[0]), f, stop_grad1);
  const Value sigmoid9 = aten::sigmoid(where6);
  const Value stop_grad6 = aten::detach(grad_grad_c);
  const Value where7 = aten::where(condition(has_grad_grad_c, reads[0]), grad_grad_c, stop_grad6);
  const Value where8 = aten::where(condition(has_grad_grad_c, reads[0]), where7 * sigmoid9, 0);
  const Value where9 = aten::where(condition(has_grad_grad_gates, reads[0]), i, stop_grad0);
  const Value where10 = aten::where(condition(has_grad_grad_gates, reads[0]), f, stop_grad1);
  const Value where11 = aten::where(condition(has_grad_grad_gates, reads[0]), g, stop_grad2);
  const Value where12 = aten::where(condition(has_grad_grad_gates, reads[0]), c, stop_grad4);
  const Value sigmoid10 = aten::sigmoid(where9);
  const Value tanh3 = aten::tanh(where11);
  const Value stop_grad7 = aten::detach(grad_grad_i);
  const Value where13 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_grad_i,
      stop_grad7);
  const Value stop_grad8 = aten::detach(grad_grad_f);
  const Value where14 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_grad_f,
      stop_grad8);
  const Value stop_grad9 = aten::detach(grad_grad_g);
  const Value where15 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_grad_g,
      stop_grad9);
  const Value where16 = aten::where(condition(has_grad_grad_gates, reads[0]), o, stop_grad3);
  const Value sigmoid11 = aten::sigmoid(where10);
  const Value tanh4 = aten::tanh(sigmoid11 * where12 + sigmoid10 * tanh3);
  const Value stop_grad10 = aten::detach(grad_grad_o);
  const Value where17 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_grad_o,
      stop_grad10);
  const Value sigmoid12 = aten::sigmoid(where16);
  const Value where18 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_h, stop_grad5);
  const Value stop_grad11 = aten::detach(grad_c_out);
  const Value where19 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_c_out,
      stop_grad11);
  const Value stop_grad12 = aten::detach(where9);
  const Value where20 = aten::where(condition(has_grad_h, reads[0]), where9, stop_grad12);
  const Value stop_grad13 = aten::detach(where10);
  const Value where21 = aten::where(condition(has_grad_h, reads[0]), where10, stop_grad13);
  const Value stop_grad14 = aten::detach(where11);
  const Value where22 = aten::where(condition(has_grad_h, reads[0]), where11, stop_grad14);
  const Value stop_grad15 = aten::detach(where16);
  const Value where23 = aten::where(condition(has_grad_h, reads[0]), where16, stop_grad15);
  const Value stop_grad16 = aten::detach(where12);
  const Value where24 = aten::where(condition(has_grad_h, reads[0]), where12, stop_grad16);
  const Value sigmoid13 = aten::sigmoid(where21);
  const Value sigmoid14 = aten::sigmoid(where20);
  const Value tanh5 = aten::tanh(where22);
  const Value sigmoid15 = aten::sigmoid(where23);
  const Value stop_grad17 = aten::detach(where18);
  const Value where25 = aten::where(condition(has_grad_h, reads[0]), where18, stop_grad17);
  const Value tanh6 = aten::tanh(0.5 * where9);
  const Value where26 = aten::where(condition(has_grad_h, reads[0]), grad_grad_i, stop_grad7);
  const Value where27 = aten::where(condition(has_grad_h, reads[0]), grad_grad_f, stop_grad8);
  const Value where28 = aten::where(condition(has_grad_h, reads[0]), grad_grad_g, stop_grad9);
  const Value where29 = aten::where(condition(has_grad_h, reads[0]), grad_grad_o, stop_grad10);
  const Value where30 = aten::where(condition(has_grad_h, reads[0]), grad_grad_c, stop_grad6);
  const Value stop_grad18 = aten::detach(where1);
  const Value where31 = aten::where(condition(has_grad_grad_c, reads[0]), where1, stop_grad18);
  const Value sigmoid16 = aten::sigmoid(where31);
  const Value stop_grad19 = aten::detach(where30);
  const Value where32 = aten::where(condition(has_grad_grad_c, reads[0]), where30, stop_grad19);
  const Value where33 = aten::where(condition(has_grad_grad_c, reads[0]), where32 * sigmoid16, 0);
  const Value stop_grad20 = aten::detach(where0);
  const Value where34 = aten::where(condition(has_grad_grad_gates, reads[0]), where0, stop_grad20);
  const Value where35 = aten::where(condition(has_grad_grad_gates, reads[0]), where1, stop_grad18);
  const Value stop_grad21 = aten::detach(where2);
  const Value where36 = aten::where(condition(has_grad_grad_gates, reads[0]), where2, stop_grad21);
  const Value stop_grad22 = aten::detach(where4);
  const Value where37 = aten::where(condition(has_grad_grad_gates, reads[0]), where4, stop_grad22);
  const Value sigmoid17 = aten::sigmoid(where34);
  const Value tanh7 = aten::tanh(where36);
  const Value stop_grad23 = aten::detach(where26);
  const Value where38 = aten::where(condition(has_grad_grad_gates, reads[0]), where26, stop_grad23);
  const Value stop_grad24 = aten::detach(where27);
  const Value where39 = aten::where(condition(has_grad_grad_gates, reads[0]), where27, stop_grad24);
  const Value stop_grad25 = aten::detach(where28);
  const Value where40 = aten::where(condition(has_grad_grad_gates, reads[0]), where28, stop_grad25);
  const Value stop_grad26 = aten::detach(where3);
  const Value where41 = aten::where(condition(has_grad_grad_gates, reads[0]), where3, stop_grad26);
  const Value sigmoid18 = aten::sigmoid(where35);
  const Value add1 = sigmoid18 * where37 + sigmoid17 * tanh7;
  const Value stop_grad27 = aten::detach(where5);
  const Value where42 = aten::where(condition(has_grad_grad_gates, reads[0]), where5, stop_grad27);
  const Value stop_grad28 = aten::detach(where29);
  const Value where43 = aten::where(condition(has_grad_grad_gates, reads[0]), where29, stop_grad28);
  const Value where44 = aten::where(condition(logical_or0, reads[0]), i, stop_grad0);
  const Value where45 = aten::where(condition(logical_or0, reads[0]), f, stop_grad1);
  const Value where46 = aten::where(condition(logical_or0, reads[0]), g, stop_grad2);
  const Value where47 = aten::where(condition(logical_or0, reads[0]), o, stop_grad3);
  const Value where48 = aten::where(condition(logical_or0, reads[0]), c, stop_grad4);
  const Value sigmoid19 = aten::sigmoid(where44);
  const Value where49 = aten::where(condition(logical_or0, reads[0]), grad_h, stop_grad5);
  const Value where50 = aten::where(condition(logical_or0, reads[0]), grad_c_out, stop_grad11);
  const Value stop_grad29 = aten::detach(where44);
  const Value where51 = aten::where(condition(has_grad_h, reads[0]), where44, stop_grad29);
  const Value stop_grad30 = aten::detach(where45);
  const Value where52 = aten::where(condition(has_grad_h, reads[0]), where45, stop_grad30);
  const Value stop_grad31 = aten::detach(where46);
  const Value where53 = aten::where(condition(has_grad_h, reads[0]), where46, stop_grad31);
  const Value stop_grad32 = aten::detach(where47);
  const Value where54 = aten::where(condition(has_grad_h, reads[0]), where47, stop_grad32);
  const Value stop_grad33 = aten::detach(where48);
  const Value where55 = aten::where(condition(has_grad_h, reads[0]), where48, stop_grad33);
  const Value sigmoid20 = aten::sigmoid(where52);
  const Value sigmoid21 = aten::sigmoid(where51);
  const Value tanh8 = aten::tanh(where53);
  const Value add2 = sigmoid20 * where55 + sigmoid21 * tanh8;
  const Value sigmoid22 = aten::sigmoid(where54);
  const Value stop_grad34 = aten::detach(where49);
  const Value where56 = aten::where(condition(has_grad_h, reads[0]), where49, stop_grad34);
  const Value where57 = aten::where(condition(logical_or0, reads[0]), grad_grad_i, stop_grad7);
  const Value where58 = aten::where(condition(logical_or0, reads[0]), grad_grad_f, stop_grad8);
  const Value where59 = aten::where(condition(logical_or0, reads[0]), grad_grad_g, stop_grad9);
  const Value where60 = aten::where(condition(logical_or0, reads[0]), grad_grad_o, stop_grad10);
  const Value where61 = aten::where(condition(logical_or0, reads[0]), grad_grad_c, stop_grad6);
  const Value stop_grad35 = aten::detach(where61);
  const Value where62 = aten::where(condition(has_grad_grad_gates, reads[0]), where44, stop_grad29);
  const Value where63 = aten::where(condition(has_grad_grad_gates, reads[0]), where45, stop_grad30);
  const Value where64 = aten::where(condition(has_grad_grad_gates, reads[0]), where46, stop_grad31);
  const Value where65 = aten::where(condition(has_grad_grad_gates, reads[0]), where47, stop_grad32);
  const Value where66 = aten::where(condition(has_grad_grad_gates, reads[0]), where48, stop_grad33);
  const Value sigmoid23 = aten::sigmoid(where62);
  const Value where67 = aten::where(condition(has_grad_grad_gates, reads[0]), where49, stop_grad34);
  const Value stop_grad36 = aten::detach(where50);
  const Value where68 = aten::where(condition(has_grad_grad_gates, reads[0]), where50, stop_grad36);
  const Value stop_grad37 = aten::detach(where62);
  const Value where69 = aten::where(condition(has_grad_h, reads[0]), where62, stop_grad37);
  const Value stop_grad38 = aten::detach(where63);
  const Value where70 = aten::where(condition(has_grad_h, reads[0]), where63, stop_grad38);
  const Value stop_grad39 = aten::detach(where64);
  const Value where71 = aten::where(condition(has_grad_h, reads[0]), where64, stop_grad39);
  const Value stop_grad40 = aten::detach(where65);
  const Value where72 = aten::where(condition(has_grad_h, reads[0]), where65, stop_grad40);
  const Value stop_grad41 = aten::detach(where66);
  const Value where73 = aten::where(condition(has_grad_h, reads[0]), where66, stop_grad41);
  const Value sigmoid24 = aten::sigmoid(where70);
  const Value sigmoid25 = aten::sigmoid(where69);
  const Value tanh9 = aten::tanh(where71);
  const Value sigmoid26 = aten::sigmoid(where72);
  const Value stop_grad42 = aten::detach(where67);
  const Value where74 = aten::where(condition(has_grad_h, reads[0]), where67, stop_grad42);
  const Value stop_grad43 = aten::detach(where59);
  const Value where75 = aten::where(condition(has_grad_grad_gates, reads[0]), where59, stop_grad43);
  const Value stop_grad44 = aten::detach(where57);
  const Value where76 = aten::where(condition(has_grad_grad_gates, reads[0]), where57, stop_grad44);
  const Value stop_grad45 = aten::detach(where58);
  const Value stop_grad46 = aten::detach(where60);
  const Value tanh10 = aten::tanh(add2);
  const Value where77 = aten::where(condition(has_grad_h, reads[0]), where57, stop_grad44);
  const Value where78 = aten::where(condition(has_grad_h, reads[0]), where58, stop_grad45);
  const Value where79 = aten::where(condition(has_grad_h, reads[0]), where59, stop_grad43);
  const Value where80 = aten::where(condition(has_grad_h, reads[0]), where60, stop_grad46);
  const Value where81 = aten::where(condition(has_grad_h, reads[0]), where61, stop_grad35);
  const Value stop_grad47 = aten::detach(where52);
  const Value where82 = aten::where(condition(has_grad_grad_c, reads[0]), where52, stop_grad47);
  const Value sigmoid27 = aten::sigmoid(where82);
  const Value stop_grad48 = aten::detach(where81);
  const Value where83 = aten::where(condition(has_grad_grad_c, reads[0]), where81, stop_grad48);
  const Value where84 = aten::where(condition(has_grad_grad_c, reads[0]), where83 * sigmoid27, 0);
  const Value stop_grad49 = aten::detach(where51);
  const Value where85 = aten::where(condition(has_grad_grad_gates, reads[0]), where51, stop_grad49);
  const Value where86 = aten::where(condition(has_grad_grad_gates, reads[0]), where52, stop_grad47);
  const Value stop_grad50 = aten::detach(where53);
  const Value where87 = aten::where(condition(has_grad_grad_gates, reads[0]), where53, stop_grad50);
  const Value stop_grad51 = aten::detach(where55);
  const Value where88 = aten::where(condition(has_grad_grad_gates, reads[0]), where55, stop_grad51);
  const Value sigmoid28 = aten::sigmoid(where85);
  const Value tanh11 = aten::tanh(where87);
  const Value stop_grad52 = aten::detach(where77);
  const Value where89 = aten::where(condition(has_grad_grad_gates, reads[0]), where77, stop_grad52);
  const Value stop_grad53 = aten::detach(where78);
  const Value where90 = aten::where(condition(has_grad_grad_gates, reads[0]), where78, stop_grad53);
  const Value stop_grad54 = aten::detach(where79);
  const Value where91 = aten::where(condition(has_grad_grad_gates, reads[0]), where79, stop_grad54);
  const Value stop_grad55 = aten::detach(where54);
  const Value where92 = aten::where(condition(has_grad_grad_gates, reads[0]), where54, stop_grad55);
  const Value sigmoid29 = aten::sigmoid(where86);
  const Value stop_grad56 = aten::detach(where56);
  const Value where93 = aten::where(condition(has_grad_grad_gates, reads[0]), where56, stop_grad56);
  const Value stop_grad57 = aten::detach(where80);
  const Value where94 = aten::where(condition(has_grad_grad_gates, reads[0]), where80, stop_grad57);
  const Value tanh12 = aten::tanh(0.5 * where10);
  const Value where95 = aten::where(condition(logical_or1, reads[0]), i, stop_grad0);
  const Value where96 = aten::where(condition(logical_or1, reads[0]), f, stop_grad1);
  const Value where97 = aten::where(condition(logical_or1, reads[0]), g, stop_grad2);
  const Value where98 = aten::where(condition(logical_or1, reads[0]), o, stop_grad3);
  const Value where99 = aten::where(condition(logical_or1, reads[0]), c, stop_grad4);
  const Value sigmoid30 = aten::sigmoid(where96);
  const Value where100 = aten::where(condition(logical_or1, reads[0]), grad_h, stop_grad5);
  const Value where101 = aten::where(condition(logical_or1, reads[0]), grad_c_out, stop_grad11);
  const Value stop_grad58 = aten::detach(where95);
  const Value where102 = aten::where(condition(has_grad_h, reads[0]), where95, stop_grad58);
  const Value stop_grad59 = aten::detach(where96);
  const Value where103 = aten::where(condition(has_grad_h, reads[0]), where96, stop_grad59);
  const Value stop_grad60 = aten::detach(where97);
  const Value where104 = aten::where(condition(has_grad_h, reads[0]), where97, stop_grad60);
  const Value stop_grad61 = aten::detach(where98);
  const Value where105 = aten::where(condition(has_grad_h, reads[0]), where98, stop_grad61);
  const Value stop_grad62 = aten::detach(where99);
  const Value where106 = aten::where(condition(has_grad_h, reads[0]), where99, stop_grad62);
  const Value sigmoid31 = aten::sigmoid(where103);
  const Value sigmoid32 = aten::sigmoid(where102);
  const Value tanh13 = aten::tanh(where104);
  const Value add3 = sigmoid31 * where106 + sigmoid32 * tanh13;
  const Value sigmoid33 = aten::sigmoid(where105);
  const Value stop_grad63 = aten::detach(where100);
  const Value where107 = aten::where(condition(has_grad_h, reads[0]), where100, stop_grad63);
  const Value where108 = aten::where(condition(logical_or1, reads[0]), grad_grad_i, stop_grad7);
  const Value where109 = aten::where(condition(logical_or1, reads[0]), grad_grad_f, stop_grad8);
  const Value where110 = aten::where(condition(logical_or1, reads[0]), grad_grad_g, stop_grad9);
  const Value where111 = aten::where(condition(logical_or1, reads[0]), grad_grad_o, stop_grad10);
  const Value where112 = aten::where(condition(logical_or1, reads[0]), grad_grad_c, stop_grad6);
  const Value where113 = aten::where(condition(has_grad_grad_c, reads[0]), where96, stop_grad59);
  const Value stop_grad64 = aten::detach(where112);
  const Value where114 = aten::where(condition(has_grad_grad_c, reads[0]), where112, stop_grad64);
  const Value where115 = aten::where(condition(has_grad_grad_c, reads[0]), where95, stop_grad58);
  const Value where116 = aten::where(condition(has_grad_grad_c, reads[0]), where97, stop_grad60);
  const Value where117 = aten::where(condition(has_grad_grad_c, reads[0]), where98, stop_grad61);
  const Value where118 = aten::where(condition(has_grad_grad_c, reads[0]), where99, stop_grad62);
  const Value where119 = aten::where(condition(has_grad_grad_c, reads[0]), where100, stop_grad63);
  const Value stop_grad65 = aten::detach(where101);
  const Value where120 = aten::where(condition(has_grad_grad_c, reads[0]), where101, stop_grad65);
  const Value stop_grad66 = aten::detach(where115);
  const Value where121 = aten::where(condition(has_grad_h, reads[0]), where115, stop_grad66);
  const Value stop_grad67 = aten::detach(where113);
  const Value where122 = aten::where(condition(has_grad_h, reads[0]), where113, stop_grad67);
  const Value stop_grad68 = aten::detach(where116);
  const Value where123 = aten::where(condition(has_grad_h, reads[0]), where116, stop_grad68);
  const Value stop_grad69 = aten::detach(where117);
  const Value where124 = aten::where(condition(has_grad_h, reads[0]), where117, stop_grad69);
  const Value stop_grad70 = aten::detach(where118);
  const Value where125 = aten::where(condition(has_grad_h, reads[0]), where118, stop_grad70);
  const Value sigmoid34 = aten::sigmoid(where122);
  const Value sigmoid35 = aten::sigmoid(where121);
  const Value tanh14 = aten::tanh(where123);
  const Value sigmoid36 = aten::sigmoid(where124);
  const Value stop_grad71 = aten::detach(where119);
  const Value where126 = aten::where(condition(has_grad_h, reads[0]), where119, stop_grad71);
  const Value stop_grad72 = aten::detach(where108);
  const Value stop_grad73 = aten::detach(where109);
  const Value stop_grad74 = aten::detach(where110);
  const Value stop_grad75 = aten::detach(where111);
  const Value tanh15 = aten::tanh(add3);
  const Value where127 = aten::where(condition(has_grad_h, reads[0]), where108, stop_grad72);
  const Value where128 = aten::where(condition(has_grad_h, reads[0]), where109, stop_grad73);
  const Value where129 = aten::where(condition(has_grad_h, reads[0]), where110, stop_grad74);
  const Value where130 = aten::where(condition(has_grad_h, reads[0]), where111, stop_grad75);
  const Value where131 = aten::where(condition(has_grad_h, reads[0]), where112, stop_grad64);
  const Value stop_grad76 = aten::detach(where103);
  const Value where132 = aten::where(condition(has_grad_grad_c, reads[0]), where103, stop_grad76);
  const Value sigmoid37 = aten::sigmoid(where132);
  const Value stop_grad77 = aten::detach(where131);
  const Value where133 = aten::where(condition(has_grad_grad_c, reads[0]), where131, stop_grad77);
  const Value where134 = aten::where(condition(has_grad_grad_c, reads[0]), where133 * sigmoid37, 0);
  const Value stop_grad78 = aten::detach(where102);
  const Value where135 = aten::where(condition(has_grad_grad_gates, reads[0]), where102,
      stop_grad78);
  const Value where136 = aten::where(condition(has_grad_grad_gates, reads[0]), where103,
      stop_grad76);
  const Value stop_grad79 = aten::detach(where104);
  const Value where137 = aten::where(condition(has_grad_grad_gates, reads[0]), where104,
      stop_grad79);
  const Value stop_grad80 = aten::detach(where106);
  const Value where138 = aten::where(condition(has_grad_grad_gates, reads[0]), where106,
      stop_grad80);
  const Value sigmoid38 = aten::sigmoid(where135);
  const Value tanh16 = aten::tanh(where137);
  const Value stop_grad81 = aten::detach(where127);
  const Value where139 = aten::where(condition(has_grad_grad_gates, reads[0]), where127,
      stop_grad81);
  const Value stop_grad82 = aten::detach(where128);
  const Value where140 = aten::where(condition(has_grad_grad_gates, reads[0]), where128,
      stop_grad82);
  const Value stop_grad83 = aten::detach(where129);
  const Value where141 = aten::where(condition(has_grad_grad_gates, reads[0]), where129,
      stop_grad83);
  const Value stop_grad84 = aten::detach(where105);
  const Value where142 = aten::where(condition(has_grad_grad_gates, reads[0]), where105,
      stop_grad84);
  const Value sigmoid39 = aten::sigmoid(where136);
  const Value stop_grad85 = aten::detach(where107);
  const Value where143 = aten::where(condition(has_grad_grad_gates, reads[0]), where107,
      stop_grad85);
  const Value stop_grad86 = aten::detach(where130);
  const Value where144 = aten::where(condition(has_grad_grad_gates, reads[0]), where130,
      stop_grad86);
  const Value tanh17 = aten::tanh(add1);
  const Value tanh18 = aten::tanh(0.5 * where41);
  const Value mul2 = 2 * c_next;
  const Value sigmoid40 = aten::sigmoid(mul2);
  const Value sigmoid41 = aten::sigmoid(-mul2);
  const Value mul3 = 2 * where11;
  const Value sigmoid42 = aten::sigmoid(mul3);
  const Value sigmoid43 = aten::sigmoid(-mul3);
  const Value mul4 = 4 * (sigmoid42 * sigmoid43);
  const Value sigmoid44 = aten::sigmoid(-where9);
  const Value mul5 = sigmoid10 * sigmoid44;
  const Value sigmoid45 = aten::sigmoid(-where10);
  const Value mul6 = sigmoid11 * sigmoid45;
  const Value mul7 = where14 * mul6;
  const Value add4 = mul7 * where12 + where15 * mul4 * sigmoid10;
  const Value where145 = aten::where(condition(has_grad_grad_gates, reads[0]), add4 + where13 * mul5
      * tanh3, 0);
  const Value add5 = where8 + where145;
  const Value sigmoid46 = aten::sigmoid(-where16);
  const Value where146 = aten::where(condition(has_grad_grad_gates, reads[0]), where17 * (sigmoid12
      * sigmoid46) * tanh4, 0);
  const Value mul8 = 2 * (sigmoid13 * where24 + sigmoid14 * tanh5);
  const Value sigmoid47 = aten::sigmoid(mul8);
  const Value sigmoid48 = aten::sigmoid(-mul8);
  const Value where147 = aten::where(condition(has_grad_h, reads[0]), where25 * sigmoid15 * (4 *
      (sigmoid47 * sigmoid48)), 0);
  const Value add6 = where19 + where147;
  const Value neg0 = -(mul5 * tanh6 * (where13 * (add6 * tanh3)));
  const Value where148 = aten::where(condition(has_grad_grad_gates, reads[0]), neg0, 0);
  const Value mul9 = 2 * where36;
  const Value sigmoid49 = aten::sigmoid(mul9);
  const Value sigmoid50 = aten::sigmoid(-mul9);
  const Value sigmoid51 = aten::sigmoid(-where34);
  const Value sigmoid52 = aten::sigmoid(-where35);
  const Value mul10 = where40 * (4 * (sigmoid49 * sigmoid50)) * sigmoid17;
  const Value add7 = where39 * (sigmoid18 * sigmoid52) * where37 + mul10;
  const Value where149 = aten::where(condition(has_grad_grad_gates, reads[0]), add7 + where38 *
      (sigmoid17 * sigmoid51) * tanh7, 0);
  const Value add8 = where33 + where149;
  const Value mul11 = 2 * add1;
  const Value sigmoid53 = aten::sigmoid(mul11);
  const Value sigmoid54 = aten::sigmoid(-mul11);
  const Value sigmoid55 = aten::sigmoid(where41);
  const Value sigmoid56 = aten::sigmoid(-where41);
  const Value mul12 = sigmoid55 * sigmoid56;
  const Value mul13 = where43 * mul12 * where42 * (4 * (sigmoid53 * sigmoid54));
  const Value where150 = aten::where(condition(has_grad_grad_gates, reads[0]), mul13, 0);
  const Value mul14 = sigmoid5 * mul1 * add8 * (-2 * where5 * tanh2);
  const Value mul15 = 2 * add2;
  const Value sigmoid57 = aten::sigmoid(mul15);
  const Value sigmoid58 = aten::sigmoid(-mul15);
  const Value mul16 = 2 * where46;
  const Value sigmoid59 = aten::sigmoid(mul16);
  const Value sigmoid60 = aten::sigmoid(-mul16);
  const Value sigmoid61 = aten::sigmoid(-where44);
  const Value mul17 = 2 * (sigmoid24 * where73 + sigmoid25 * tanh9);
  const Value sigmoid62 = aten::sigmoid(mul17);
  const Value sigmoid63 = aten::sigmoid(-mul17);
  const Value where151 = aten::where(condition(has_grad_h, reads[0]), where74 * sigmoid26 * (4 *
      (sigmoid62 * sigmoid63)), 0);
  const Value add9 = where68 + where151;
  const Value mul18 = 2 * where64;
  const Value sigmoid64 = aten::sigmoid(mul18);
  const Value sigmoid65 = aten::sigmoid(-mul18);
  const Value where152 = aten::where(condition(has_grad_grad_gates, reads[0]), where75 * (4 *
      (sigmoid64 * sigmoid65)) * add9, 0);
  const Value sigmoid66 = aten::sigmoid(-where62);
  const Value mul19 = 2 * where87;
  const Value sigmoid67 = aten::sigmoid(mul19);
  const Value sigmoid68 = aten::sigmoid(-mul19);
  const Value sigmoid69 = aten::sigmoid(-where85);
  const Value sigmoid70 = aten::sigmoid(-where86);
  const Value mul20 = where91 * (4 * (sigmoid67 * sigmoid68)) * sigmoid28;
  const Value add10 = where90 * (sigmoid29 * sigmoid70) * where88 + mul20;
  const Value where153 = aten::where(condition(has_grad_grad_gates, reads[0]), add10 + where89 *
      (sigmoid28 * sigmoid69) * tanh11, 0);
  const Value mul21 = 2 * (sigmoid29 * where88 + sigmoid28 * tanh11);
  const Value sigmoid71 = aten::sigmoid(mul21);
  const Value sigmoid72 = aten::sigmoid(-mul21);
  const Value sigmoid73 = aten::sigmoid(where92);
  const Value sigmoid74 = aten::sigmoid(-where92);
  const Value mul22 = where94 * (sigmoid73 * sigmoid74) * where93;
  const Value where154 = aten::where(condition(has_grad_grad_gates, reads[0]), mul22 * (4 *
      (sigmoid71 * sigmoid72)), 0);
  const Value mul23 = sigmoid22 * (4 * (sigmoid57 * sigmoid58)) * (where84 + where153);
  const Value add11 = mul23 * (-2 * where56 * tanh10) + where154;
  const Value where155 = aten::where(condition(has_grad_h, reads[0]), add11 * tanh8, 0);
  const Value where156 = aten::where(condition(logical_or0, reads[0]), (where152 + where155) *
      (sigmoid19 * sigmoid61), 0);
  const Value neg1 = -(mul6 * tanh12 * (where14 * (add6 * where12)));
  const Value where157 = aten::where(condition(has_grad_grad_gates, reads[0]), neg1, 0);
  const Value mul24 = 2 * add3;
  const Value sigmoid75 = aten::sigmoid(mul24);
  const Value sigmoid76 = aten::sigmoid(-mul24);
  const Value sigmoid77 = aten::sigmoid(-where96);
  const Value mul25 = 2 * (sigmoid34 * where125 + sigmoid35 * tanh14);
  const Value sigmoid78 = aten::sigmoid(mul25);
  const Value sigmoid79 = aten::sigmoid(-mul25);
  const Value where158 = aten::where(condition(has_grad_h, reads[0]), where126 * sigmoid36 * (4 *
      (sigmoid78 * sigmoid79)), 0);
  const Value where159 = aten::where(condition(has_grad_grad_c, reads[0]), where114 * (where120 +
      where158), 0);
  const Value mul26 = 2 * where137;
  const Value sigmoid80 = aten::sigmoid(mul26);
  const Value sigmoid81 = aten::sigmoid(-mul26);
  const Value sigmoid82 = aten::sigmoid(-where135);
  const Value sigmoid83 = aten::sigmoid(-where136);
  const Value mul27 = where141 * (4 * (sigmoid80 * sigmoid81)) * sigmoid38;
  const Value add12 = where140 * (sigmoid39 * sigmoid83) * where138 + mul27;
  const Value where160 = aten::where(condition(has_grad_grad_gates, reads[0]), add12 + where139 *
      (sigmoid38 * sigmoid82) * tanh16, 0);
  const Value mul28 = 2 * (sigmoid39 * where138 + sigmoid38 * tanh16);
  const Value sigmoid84 = aten::sigmoid(mul28);
  const Value sigmoid85 = aten::sigmoid(-mul28);
  const Value sigmoid86 = aten::sigmoid(where142);
  const Value sigmoid87 = aten::sigmoid(-where142);
  const Value mul29 = where144 * (sigmoid86 * sigmoid87) * where143;
  const Value where161 = aten::where(condition(has_grad_grad_gates, reads[0]), mul29 * (4 *
      (sigmoid84 * sigmoid85)), 0);
  const Value mul30 = sigmoid33 * (4 * (sigmoid75 * sigmoid76)) * (where134 + where160);
  const Value mul31 = (mul30 * (-2 * where107 * tanh15) + where161) * where106;
  const Value where162 = aten::where(condition(has_grad_h, reads[0]), mul31, 0);
  const Value where163 = aten::where(condition(logical_or1, reads[0]), (where159 + where162) *
      (sigmoid30 * sigmoid77), 0);
  const Value mul32 = where15 * (add6 * sigmoid10) * (-2 * tanh3 * mul4);
  const Value where164 = aten::where(condition(has_grad_grad_gates, reads[0]), mul32, 0);
  const Value where165 = aten::where(condition(has_grad_grad_gates, reads[0]), where76 * (sigmoid23
      * sigmoid66) * add9, 0);
  const Value where166 = aten::where(condition(has_grad_h, reads[0]), add11 * sigmoid21, 0);
  const Value where167 = aten::where(condition(logical_or0, reads[0]), (where165 + where166) * (4 *
      (sigmoid59 * sigmoid60)), 0);
  const Value neg2 = -(mul12 * tanh18 * (where43 * (where42 * tanh17)));
  const Value where168 = aten::where(condition(has_grad_grad_gates, reads[0]), neg2, 0);
  const Value add13 = where168 + mul1 * (sigmoid5 * sigmoid8) * add8 * where5;
  const Value where169 = aten::where(condition(has_grad_grad_gates, reads[0]), mul7 * add6, 0);
  const Value where170 = aten::where(condition(has_grad_h, reads[0]), (mul14 + where150) * sigmoid3,
      0);
  writes[0] = sigmoid2 * (4 * (sigmoid40 * sigmoid41)) * add5 + where146;
  writes[1] = add5;
  writes[2] = where148 + where156;
  writes[3] = where157 + where163;
  writes[4] = where164 + where167;
  writes[5] = aten::where(condition(has_grad_h, reads[0]), add13, 0);
  writes[6] = where169 + where170;
}

const Pass kDoubleBackward = {
    .schema = "lstm_cell_double_backward(Tensor? grad_grad_gates, Tensor? grad_grad_c, Tensor? "
              "grad_h, Tensor? grad_c_out, Tensor? gates, Tensor? c, bool[4] needs) -> (Tensor, "
              "Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_gates", .optional = true, .parts = 4},
               {.name = "grad_grad_c", .optional = true},
               {.name = "grad_h", .optional = true},
               {.name = "grad_c_out", .optional = true},
               {.name = "gates", .parts = 4},
               {.name = "c"}},
    .outputs = {{.name = "grad_grad_h", .like = 2, .reads = {0, 1, 4, 5}},
                {.name = "grad_grad_c_out", .like = 3, .reads = {0, 1, 4, 5}},
                {.name = "grad_gates", .like = 4, .reads = {0, 1, 2, 3, 4, 5}, .parts = 4},
                {.name = "grad_c", .like = 5, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {2, 0, 1},
};

const Pass kBackward = {
    .schema = "lstm_cell_backward(Tensor? grad_h, Tensor? grad_c_out, Tensor? gates, Tensor? c, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_h", .optional = true},
               {.name = "grad_c_out", .optional = true},
               {.name = "gates", .parts = 4},
               {.name = "c"}},
    .outputs = {{.name = "grad_gates", .like = 2, .reads = {0, 1, 2, 3}, .parts = 4},
                {.name = "grad_c", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .arrivals = {0},
};

const Pass kForward = {
    .schema = "lstm_cell(Tensor gates, Tensor c) -> (Tensor, Tensor)",
    .inputs = {{.name = "gates", .parts = 4}, {.name = "c"}},
    .outputs = {{.name = "h"}, {.name = "c_out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::lstm_cell
