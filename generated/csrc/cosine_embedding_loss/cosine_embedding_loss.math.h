// Generated from specs/losses/cosine_embedding_loss.yaml by `fusewise generate`. Do not edit.
//
// cosine = sum(x * y) / (maximum(norm(x), eps) * maximum(norm(y), eps))
// loss = 1 - cosine if together else relu(cosine - margin)
//
// sum0 = sum(x * y)
// norm0 = norm(x)
// maximum0 = maximum(norm0, eps)
// norm1 = norm(y)
// maximum1 = maximum(norm1, eps)
// mul0 = maximum0 * maximum1
// cosine = sum0 / mul0
// relu0 = relu(cosine - margin)
// where0 = 0 if together else grad_loss
// le0 = relu0 <= 0
// where1 = 0 if le0 else where0
// where2 = -grad_loss if together else 0
// add0 = where1 + where2
// div0 = add0 / mul0
// logical_or0 = not le0 and not together or together
// mul1 = cosine / mul0 * add0
// mul2 = mul1 * maximum1
// where3 = -mul2 if logical_or0 else 0
// mul3 = mul1 * maximum0
// where4 = -mul3 if logical_or0 else 0
// where5 = -(mul3 * 0.5) if logical_or0 else 0
// where6 = where5 if norm1 == eps else where4
// where7 = 0 if norm1 == 0 else where6 / norm1
// where8 = y * where7 if logical_or0 else 0
// where9 = 0 if norm1 < eps else where8
// where10 = -(mul2 * 0.5) if logical_or0 else 0
// where11 = where10 if norm0 == eps else where3
// where12 = 0 if norm0 == 0 else where11 / norm0
// where13 = x * where12 if logical_or0 else 0
// where14 = 0 if norm0 < eps else where13
// where15 = div0 * y if logical_or0 else 0
// where16 = div0 * x if logical_or0 else 0
// grad_x = where14 + where15
// grad_y = where9 + where16
//
// backward keeps x, y, together: 12 B of float32 an element, arithmetic 117
// double_backward keeps grad_loss, x, y, together: 16 B of float32 an element, arithmetic 344
// forward: 2 read and 0 written for each element, 1 read and 4 written for each row
// backward: 2 read and 2 written for each element, 5 read and 0 written for each row
// double_backward: 4 read and 2 written for each element, 2 read and 1 written for each row
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::cosine_embedding_loss {

struct ForwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 60;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : others;
  }

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
  static constexpr int kReads = 6;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 60;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 60;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const rt::Mask<T> together = reads[2] != T(0);
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T margin = params[0];
    const T eps = params[1];
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T div0 = total0 / (maximum2 * maximum3);
    const T sub1 = div0 - margin;
    const T where1 = rt::where(sub1 <= T(0), T(0), sub1);
    hoisted[0] = rt::where(together, T(1) - div0, where1);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    writes[0] = hoisted[0];
    writes[1] = total0;
    writes[2] = total1;
    writes[3] = total2;
  }
};

struct BackwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRowScalars = 121;
  static constexpr unsigned kHoisted = 6;
  static constexpr unsigned kHoistedFrom = 121;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const rt::Mask<T> together = reads[3] != T(0);
    const T kept_total0 = reads[4];
    const T kept_total1 = reads[5];
    const T kept_total2 = reads[6];
    const T margin = params[0];
    const T eps = params[1];
    const T where0 = rt::where(together, T(0), grad_loss);
    const T where1 = rt::where(together, -grad_loss, T(0));
    const T sqrt0 = rt::sqrt(kept_total1);
    const T maximum0 = rt::maximum(sqrt0, eps);
    const T sqrt1 = rt::sqrt(kept_total2);
    const T maximum1 = rt::maximum(sqrt1, eps);
    const T mul0 = maximum0 * maximum1;
    const T cosine = kept_total0 / mul0;
    const T sub0 = cosine - margin;
    const T where2 = rt::where(sub0 <= T(0), T(0), sub0);
    const rt::Mask<T> le0 = where2 <= T(0);
    const T where3 = rt::where(le0, T(0), where0);
    const T add0 = where3 + where1;
    const T div0 = add0 / mul0;
    const rt::Mask<T> logical_or0 = ((!le0) & (!together)) | together;
    const T mul1 = cosine / mul0 * add0;
    const T mul2 = mul1 * maximum1;
    const T where4 = rt::where(logical_or0, -mul2, T(0));
    const T mul3 = mul1 * maximum0;
    const T where5 = rt::where(logical_or0, -mul3, T(0));
    const T where6 = rt::where(logical_or0, -(mul3 * T(0.5)), T(0));
    const T where7 = rt::where(sqrt1 == eps, where6, where5);
    const T where8 = rt::where(sqrt1 == T(0), T(0), where7 / sqrt1);
    const T where11 = rt::where(logical_or0, -(mul2 * T(0.5)), T(0));
    const T where12 = rt::where(sqrt0 == eps, where11, where4);
    const T where13 = rt::where(sqrt0 == T(0), T(0), where12 / sqrt0);
    hoisted[0] = div0;
    hoisted[1] = rt::where(logical_or0, T(1), T(0));
    hoisted[2] = rt::where(sqrt1 < eps, T(1), T(0));
    hoisted[3] = where8;
    hoisted[4] = rt::where(sqrt0 < eps, T(1), T(0));
    hoisted[5] = where13;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[1];
    const T y = reads[2];
    const T div0 = hoisted[0];
    const rt::Mask<T> logical_or0 = hoisted[1] != T(0);
    const T where8 = hoisted[3];
    const T where13 = hoisted[5];
    const T where9 = rt::where(logical_or0, y * where8, T(0));
    const T where10 = rt::where((hoisted[2] != T(0)), T(0), where9);
    const T where14 = rt::where(logical_or0, x * where13, T(0));
    const T where15 = rt::where((hoisted[4] != T(0)), T(0), where14);
    const T where16 = rt::where(logical_or0, div0 * y, T(0));
    const T where17 = rt::where(logical_or0, div0 * x, T(0));
    writes[0] = where15 + where16;
    writes[1] = where10 + where17;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 4068;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[3] != T(0);
    const T where10 = rt::where(has_grad_grad_y, grad_grad_y * x, T(0));
    const T where11 = rt::where(has_grad_grad_x, grad_grad_x * y, T(0));
    writes[0] = x * y;
    writes[1] = x * x;
    writes[2] = y * y;
    writes[3] = grad_grad_x * x;
    writes[4] = grad_grad_y * y;
    writes[5] = where10 + where11;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 4068;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4064;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const rt::Mask<T> together = reads[5] != T(0);
    const T total0 = reads[6];
    const T total1 = reads[7];
    const T total2 = reads[8];
    const T total3 = reads[9];
    const T total4 = reads[10];
    const T total5 = reads[11];
    const T margin = params[0];
    const T eps = params[1];
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[3] != T(0);
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T mul5 = maximum2 * maximum3;
    const T div8 = total0 / mul5;
    const T sub2 = div8 - margin;
    const T where83 = rt::where(sub2 <= T(0), T(0), sub2);
    const rt::Mask<T> le1 = where83 <= T(0);
    const rt::Mask<T> logical_or5 = ((!le1) & (!together)) | together;
    const rt::Mask<T> lt2 = sqrt3 < eps;
    const rt::Mask<T> eq4 = sqrt3 == T(0);
    const rt::Mask<T> lt3 = sqrt2 < eps;
    const rt::Mask<T> eq5 = sqrt2 == T(0);
    const rt::Mask<T> logical_and5 = logical_or5 & ((!lt3) & has_grad_grad_x);
    const T div9 = total3 / sqrt2;
    const T where84 = rt::where(has_grad_grad_x, -div9, T(0));
    const T where85 = rt::where(lt3, T(0), where84);
    const T where86 = rt::where(logical_or5, where85, T(0));
    const T where87 = rt::where(logical_and5, where86, T(0));
    const T where88 = rt::where(eq5, T(0), where87);
    const T where89 = rt::where(has_grad_grad_x, -(div9 * T(0.5)), T(0));
    const T where90 = rt::where(lt3, T(0), where89);
    const T where91 = rt::where(logical_or5, where90, T(0));
    const T where92 = rt::where(logical_and5, where91, T(0));
    const T where93 = rt::where(eq5, T(0), where92);
    const rt::Mask<T> logical_and6 = logical_or5 & ((!lt2) & has_grad_grad_y);
    const T div10 = total4 / sqrt3;
    const T where94 = rt::where(has_grad_grad_y, -div10, T(0));
    const T where95 = rt::where(lt2, T(0), where94);
    const T where96 = rt::where(logical_or5, where95, T(0));
    const T where97 = rt::where(logical_and6, where96, T(0));
    const T where98 = rt::where(eq4, T(0), where97);
    const T where99 = rt::where(has_grad_grad_y, -(div10 * T(0.5)), T(0));
    const T where100 = rt::where(lt2, T(0), where99);
    const T where101 = rt::where(logical_or5, where100, T(0));
    const T where102 = rt::where(logical_and6, where101, T(0));
    const T where103 = rt::where(eq4, T(0), where102);
    const T where104 = rt::where(sqrt3 == eps, where103, where98);
    const rt::Mask<T> logical_and7 = (!eq4) & logical_and6;
    const T where105 = rt::where(logical_and7, where104 * maximum2, T(0));
    const T where106 = rt::where(sqrt2 == eps, where93, where88);
    const rt::Mask<T> logical_and8 = (!eq5) & logical_and5;
    const T where107 = rt::where(logical_and8, where106 * maximum3, T(0));
    const T where108 = rt::where(logical_and7 | logical_and8, (where105 + where107) * (div8 / mul5),
        T(0));
    const T where109 = rt::where(logical_or5, where108, T(0));
    const T where110 = rt::where(logical_or5, total5 / mul5, T(0));
    const T where111 = rt::where(logical_or5 & (has_grad_grad_y | has_grad_grad_x), where110, T(0));
    const T add6 = where109 + where111;
    const T where112 = rt::where(le1, T(0), add6);
    hoisted[0] = rt::where(together, -add6, where112);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 30;
  static constexpr unsigned kRowScalars = 4068;
  static constexpr unsigned kHoisted = 14;
  static constexpr unsigned kHoistedFrom = 4068;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[2];
    const rt::Mask<T> together = reads[5] != T(0);
    const T total0 = reads[6];
    const T total1 = reads[7];
    const T total2 = reads[8];
    const T total3 = reads[9];
    const T total4 = reads[10];
    const T total5 = reads[11];
    const T margin = params[0];
    const T eps = params[1];
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[3] != T(0);
    const T where0 = rt::where(together, T(0), grad_loss);
    const T where1 = rt::where(together, -grad_loss, T(0));
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T mul5 = maximum2 * maximum3;
    const T div8 = total0 / mul5;
    const T sub2 = div8 - margin;
    const T where83 = rt::where(sub2 <= T(0), T(0), sub2);
    const rt::Mask<T> le1 = where83 <= T(0);
    const T where84 = rt::where(le1, T(0), where0);
    const T add6 = where84 + where1;
    const T div9 = add6 / mul5;
    const rt::Mask<T> logical_or5 = ((!le1) & (!together)) | together;
    const T div10 = div8 / mul5;
    const T mul6 = div10 * add6;
    const T mul7 = mul6 * maximum3;
    const T where85 = rt::where(logical_or5, -mul7, T(0));
    const T mul8 = mul6 * maximum2;
    const T where86 = rt::where(logical_or5, -mul8, T(0));
    const rt::Mask<T> lt2 = sqrt3 < eps;
    const rt::Mask<T> eq4 = sqrt3 == eps;
    const T where87 = rt::where(logical_or5, -(mul8 * T(0.5)), T(0));
    const T where88 = rt::where(eq4, where87, where86);
    const rt::Mask<T> eq5 = sqrt3 == T(0);
    const T div11 = where88 / sqrt3;
    const rt::Mask<T> lt3 = sqrt2 < eps;
    const rt::Mask<T> eq6 = sqrt2 == eps;
    const T where89 = rt::where(logical_or5, -(mul7 * T(0.5)), T(0));
    const T where90 = rt::where(eq6, where89, where85);
    const rt::Mask<T> eq7 = sqrt2 == T(0);
    const T div12 = where90 / sqrt2;
    const rt::Mask<T> logical_not2 = !lt3;
    const rt::Mask<T> logical_and5 = logical_or5 & (logical_not2 & has_grad_grad_x);
    const T div13 = total3 / sqrt2;
    const T where97 = rt::where(has_grad_grad_x, -(div12 / sqrt2 * total3), T(0));
    const T where98 = rt::where(lt3, T(0), where97);
    const T where99 = rt::where(logical_or5, where98, T(0));
    const T where100 = rt::where(logical_and5, where99, T(0));
    const T where101 = rt::where(eq7, T(0), where100);
    const T where102 = rt::where(has_grad_grad_x, -div13, T(0));
    const T where103 = rt::where(lt3, T(0), where102);
    const T where104 = rt::where(logical_or5, where103, T(0));
    const T where105 = rt::where(logical_and5, where104, T(0));
    const T where106 = rt::where(eq7, T(0), where105);
    const T where107 = rt::where(has_grad_grad_x, -(div13 * T(0.5)), T(0));
    const T where108 = rt::where(lt3, T(0), where107);
    const T where109 = rt::where(logical_or5, where108, T(0));
    const T where110 = rt::where(logical_and5, where109, T(0));
    const T where111 = rt::where(eq7, T(0), where110);
    const rt::Mask<T> logical_not3 = !lt2;
    const rt::Mask<T> logical_and6 = logical_or5 & (logical_not3 & has_grad_grad_y);
    const T div14 = total4 / sqrt3;
    const T where116 = rt::where(has_grad_grad_y, -(div11 / sqrt3 * total4), T(0));
    const T where117 = rt::where(lt2, T(0), where116);
    const T where118 = rt::where(logical_or5, where117, T(0));
    const T where119 = rt::where(logical_and6, where118, T(0));
    const T where120 = rt::where(eq5, T(0), where119);
    const T where121 = rt::where(has_grad_grad_y, -div14, T(0));
    const T where122 = rt::where(lt2, T(0), where121);
    const T where123 = rt::where(logical_or5, where122, T(0));
    const T where124 = rt::where(logical_and6, where123, T(0));
    const T where125 = rt::where(eq5, T(0), where124);
    const T where126 = rt::where(has_grad_grad_y, -(div14 * T(0.5)), T(0));
    const T where127 = rt::where(lt2, T(0), where126);
    const T where128 = rt::where(logical_or5, where127, T(0));
    const T where129 = rt::where(logical_and6, where128, T(0));
    const T where130 = rt::where(eq5, T(0), where129);
    const T where131 = rt::where(eq4, where130, where125);
    const rt::Mask<T> logical_and7 = (!eq5) & logical_and6;
    const T where132 = rt::where(logical_and7, where131 * maximum2, T(0));
    const T where133 = rt::where(logical_and7, where131 * mul6, T(0));
    const T where134 = rt::where(logical_or5, where133, T(0));
    const T where135 = rt::where(eq6, where111, where106);
    const rt::Mask<T> logical_and8 = (!eq7) & logical_and5;
    const T where136 = rt::where(logical_and8, where135 * maximum3, T(0));
    const T where137 = rt::where(logical_and8, where135 * mul6, T(0));
    const T where138 = rt::where(logical_or5, where137, T(0));
    const T mul9 = (where132 + where136) * add6;
    const rt::Mask<T> logical_or6 = logical_and7 | logical_and8;
    const T div15 = mul9 / mul5;
    const rt::Mask<T> logical_and9 = logical_or5 & (has_grad_grad_y | has_grad_grad_x);
    const T where139 = rt::where(logical_or5, -(div9 / mul5 * total5), T(0));
    const T where140 = rt::where(logical_and9, where139, T(0));
    const T div16 = div15 / mul5;
    const T sub3 = -(div10 / mul5 * mul9) - div10 * div15;
    const T where141 = rt::where(logical_or6, sub3, T(0));
    const T where142 = rt::where(logical_or5, where141, T(0));
    const T add7 = where142 + where140;
    const rt::Mask<T> logical_or7 = (logical_or5 & logical_or6) | logical_and9;
    const T where143 = rt::where(logical_or7, add7 * maximum3, T(0));
    const T add8 = where134 + where143;
    const T where144 = rt::where(logical_or7, add7 * maximum2, T(0));
    const T add9 = where138 + where144;
    const T where145 = rt::where(eq4, add9 * T(0.5), add9);
    const T where146 = rt::where(lt2, T(0), where145);
    const rt::Mask<T> logical_or8 = logical_and7 | (logical_not3 & ((logical_or5 & logical_and8) |
        logical_or7));
    const T where147 = rt::where(eq5, T(0), (where120 + where146) / sqrt3);
    const T where149 = rt::where(eq6, add8 * T(0.5), add8);
    const T where150 = rt::where(lt3, T(0), where149);
    const rt::Mask<T> logical_or9 = logical_and8 | (logical_not2 & ((logical_or5 & logical_and7) |
        logical_or7));
    const T where151 = rt::where(eq7, T(0), (where101 + where150) / sqrt2);
    hoisted[0] = div9;
    hoisted[1] = rt::where(logical_or5, T(1), T(0));
    hoisted[2] = rt::where(lt2, T(1), T(0));
    hoisted[3] = rt::where(eq5, T(1), T(0));
    hoisted[4] = div11;
    hoisted[5] = rt::where(lt3, T(1), T(0));
    hoisted[6] = rt::where(eq7, T(1), T(0));
    hoisted[7] = div12;
    hoisted[8] = rt::where(logical_or6, T(1), T(0));
    hoisted[9] = div16;
    hoisted[10] = rt::where(logical_or8, T(1), T(0));
    hoisted[11] = where147;
    hoisted[12] = rt::where(logical_or9, T(1), T(0));
    hoisted[13] = where151;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[3] != T(0);
    const T div9 = hoisted[0];
    const rt::Mask<T> logical_or5 = hoisted[1] != T(0);
    const rt::Mask<T> lt2 = hoisted[2] != T(0);
    const rt::Mask<T> eq5 = hoisted[3] != T(0);
    const T div11 = hoisted[4];
    const rt::Mask<T> lt3 = hoisted[5] != T(0);
    const rt::Mask<T> eq7 = hoisted[6] != T(0);
    const T div12 = hoisted[7];
    const rt::Mask<T> logical_or6 = hoisted[8] != T(0);
    const T div16 = hoisted[9];
    const rt::Mask<T> logical_or8 = hoisted[10] != T(0);
    const T where147 = hoisted[11];
    const rt::Mask<T> logical_or9 = hoisted[12] != T(0);
    const T where151 = hoisted[13];
    const T where91 = rt::where(has_grad_grad_y, grad_grad_y * div9, T(0));
    const T where92 = rt::where(has_grad_grad_x, grad_grad_x * div9, T(0));
    const T where93 = rt::where(has_grad_grad_x, grad_grad_x * div12, T(0));
    const T where94 = rt::where(lt3, T(0), where93);
    const T where95 = rt::where(logical_or5, where94, T(0));
    const T where96 = rt::where(eq7, T(0), where95);
    const T where112 = rt::where(has_grad_grad_y, grad_grad_y * div11, T(0));
    const T where113 = rt::where(lt2, T(0), where112);
    const T where114 = rt::where(logical_or5, where113, T(0));
    const T where115 = rt::where(eq5, T(0), where114);
    const T where148 = rt::where(logical_or8, y * where147, T(0));
    const T where152 = rt::where(logical_or9, x * where151, T(0));
    const T where153 = rt::where(logical_or6, div16 * y, T(0));
    const T where154 = rt::where(logical_or5, where91 + where153, T(0));
    const T where155 = rt::where(logical_or6, div16 * x, T(0));
    const T where156 = rt::where(logical_or5, where92 + where155, T(0));
    writes[0] = where154 + where96 + where152;
    writes[1] = where156 + where115 + where148;
  }
};

}  // namespace fusewise::ops::cosine_embedding_loss
