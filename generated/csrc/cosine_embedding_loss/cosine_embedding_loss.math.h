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
// where7 = 0 if norm1 < eps else where6
// where8 = 0 if norm1 == 0 else where7 / norm1
// where9 = -(mul2 * 0.5) if logical_or0 else 0
// where10 = where9 if norm0 == eps else where3
// where11 = 0 if norm0 < eps else where10
// where12 = 0 if norm0 == 0 else where11 / norm0
// where13 = div0 * y if logical_or0 else 0
// where14 = div0 * x if logical_or0 else 0
// grad_x = x * where12 + where13
// grad_y = y * where8 + where14
//
// backward keeps x, y, together: 12 B of float32 an element, arithmetic 115
// double_backward keeps grad_loss, x, y, together: 16 B of float32 an element, arithmetic 305
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
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 121;
  static constexpr unsigned kHoisted = 4;
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
    const T where8 = rt::where(sqrt1 < eps, T(0), where7);
    const T where9 = rt::where(sqrt1 == T(0), T(0), where8 / sqrt1);
    const T where10 = rt::where(logical_or0, -(mul2 * T(0.5)), T(0));
    const T where11 = rt::where(sqrt0 == eps, where10, where4);
    const T where12 = rt::where(sqrt0 < eps, T(0), where11);
    const T where13 = rt::where(sqrt0 == T(0), T(0), where12 / sqrt0);
    hoisted[0] = div0;
    hoisted[1] = rt::where(logical_or0, T(1), T(0));
    hoisted[2] = where9;
    hoisted[3] = where13;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[1];
    const T y = reads[2];
    const T div0 = hoisted[0];
    const rt::Mask<T> logical_or0 = hoisted[1] != T(0);
    const T where9 = hoisted[2];
    const T where13 = hoisted[3];
    const T where14 = rt::where(logical_or0, div0 * y, T(0));
    const T where15 = rt::where(logical_or0, div0 * x, T(0));
    writes[0] = x * where13 + where14;
    writes[1] = y * where9 + where15;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRowScalars = 4068;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T x = reads[3];
    const T y = reads[4];
    writes[0] = x * y;
    writes[1] = x * x;
    writes[2] = y * y;
    writes[3] = grad_grad_x * x;
    writes[4] = grad_grad_y * y;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 4068;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 480;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const rt::Mask<T> together = reads[5] != T(0);
    const T total0 = reads[6];
    const T total1 = reads[7];
    const T total2 = reads[8];
    const T margin = params[0];
    const T eps = params[1];
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T sub1 = total0 / (maximum2 * maximum3) - margin;
    const T where52 = rt::where(sub1 <= T(0), T(0), sub1);
    const rt::Mask<T> logical_or4 = ((!(where52 <= T(0))) & (!together)) | together;
    hoisted[0] = rt::where(logical_or4, T(1), T(0));
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> logical_or4 = hoisted[0] != T(0);
    writes[0] = rt::where(logical_or4, grad_grad_y * x + grad_grad_x * y, T(0));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
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
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T mul5 = maximum2 * maximum3;
    const T div8 = total0 / mul5;
    const T sub1 = div8 - margin;
    const T where52 = rt::where(sub1 <= T(0), T(0), sub1);
    const rt::Mask<T> le1 = where52 <= T(0);
    const rt::Mask<T> lt2 = sqrt3 < eps;
    const rt::Mask<T> eq4 = sqrt3 == eps;
    const rt::Mask<T> eq5 = sqrt3 == T(0);
    const rt::Mask<T> lt3 = sqrt2 < eps;
    const rt::Mask<T> eq6 = sqrt2 == eps;
    const rt::Mask<T> eq7 = sqrt2 == T(0);
    const T div9 = total3 / sqrt2;
    const T where53 = rt::where(eq7, T(0), -div9);
    const T where54 = rt::where(lt3, T(0), where53);
    const T where55 = rt::where(eq7, T(0), -(div9 * T(0.5)));
    const T where56 = rt::where(lt3, T(0), where55);
    const T div10 = total4 / sqrt3;
    const T where57 = rt::where(eq5, T(0), -div10);
    const T where58 = rt::where(lt2, T(0), where57);
    const T where59 = rt::where(eq5, T(0), -(div10 * T(0.5)));
    const T where60 = rt::where(lt2, T(0), where59);
    const T where61 = rt::where(eq4, where60, where58);
    const rt::Mask<T> logical_and2 = (!lt2) & (!eq5);
    const rt::Mask<T> logical_or4 = (eq4 & logical_and2) | ((!eq4) & logical_and2);
    const T where62 = rt::where(logical_or4, where61 * maximum2, T(0));
    const T where63 = rt::where(eq6, where56, where54);
    const rt::Mask<T> logical_and3 = (!lt3) & (!eq7);
    const rt::Mask<T> logical_or5 = (eq6 & logical_and3) | ((!eq6) & logical_and3);
    const T where64 = rt::where(logical_or5, where63 * maximum3, T(0));
    const T where65 = rt::where(logical_or4 | logical_or5, (where62 + where64) * (div8 / mul5),
        T(0));
    const T where66 = rt::where(((!le1) & (!together)) | together, where65, T(0));
    const T add6 = where66 + total5 / mul5;
    const T where67 = rt::where(le1, T(0), add6);
    hoisted[0] = rt::where(together, -add6, where67);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 4068;
  static constexpr unsigned kHoisted = 10;
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
    const T where0 = rt::where(together, T(0), grad_loss);
    const T where1 = rt::where(together, -grad_loss, T(0));
    const T sqrt2 = rt::sqrt(total1);
    const T maximum2 = rt::maximum(sqrt2, eps);
    const T sqrt3 = rt::sqrt(total2);
    const T maximum3 = rt::maximum(sqrt3, eps);
    const T mul5 = maximum2 * maximum3;
    const T div8 = total0 / mul5;
    const T sub1 = div8 - margin;
    const T where52 = rt::where(sub1 <= T(0), T(0), sub1);
    const rt::Mask<T> le1 = where52 <= T(0);
    const rt::Mask<T> logical_or4 = ((!le1) & (!together)) | together;
    const T where53 = rt::where(le1, T(0), where0);
    const T add6 = where53 + where1;
    const T div9 = add6 / mul5;
    const T div10 = div8 / mul5;
    const T mul6 = div10 * add6;
    const T mul7 = mul6 * maximum3;
    const T where54 = rt::where(logical_or4, -mul7, T(0));
    const T mul8 = mul6 * maximum2;
    const T where55 = rt::where(logical_or4, -mul8, T(0));
    const rt::Mask<T> lt2 = sqrt3 < eps;
    const rt::Mask<T> eq4 = sqrt3 == eps;
    const T where56 = rt::where(logical_or4, -(mul8 * T(0.5)), T(0));
    const T where57 = rt::where(eq4, where56, where55);
    const T where58 = rt::where(lt2, T(0), where57);
    const rt::Mask<T> eq5 = sqrt3 == T(0);
    const T div11 = where58 / sqrt3;
    const rt::Mask<T> lt3 = sqrt2 < eps;
    const rt::Mask<T> eq6 = sqrt2 == eps;
    const T where59 = rt::where(logical_or4, -(mul7 * T(0.5)), T(0));
    const T where60 = rt::where(eq6, where59, where54);
    const T where61 = rt::where(lt3, T(0), where60);
    const rt::Mask<T> eq7 = sqrt2 == T(0);
    const T div12 = where61 / sqrt2;
    const T div13 = total3 / sqrt2;
    const T where65 = rt::where(eq7, T(0), -(div12 / sqrt2 * total3));
    const T where66 = rt::where(eq7, T(0), -div13);
    const T where67 = rt::where(lt3, T(0), where66);
    const T where68 = rt::where(eq7, T(0), -(div13 * T(0.5)));
    const T where69 = rt::where(lt3, T(0), where68);
    const T div14 = total4 / sqrt3;
    const T where71 = rt::where(eq5, T(0), -(div11 / sqrt3 * total4));
    const T where72 = rt::where(eq5, T(0), -div14);
    const T where73 = rt::where(lt2, T(0), where72);
    const T where74 = rt::where(eq5, T(0), -(div14 * T(0.5)));
    const T where75 = rt::where(lt2, T(0), where74);
    const T where76 = rt::where(eq4, where75, where73);
    const rt::Mask<T> logical_and2 = (!lt2) & (!eq5);
    const rt::Mask<T> logical_or5 = (eq4 & logical_and2) | ((!eq4) & logical_and2);
    const T where77 = rt::where(logical_or5, where76 * maximum2, T(0));
    const T where78 = rt::where(logical_or5, where76 * mul6, T(0));
    const T where79 = rt::where(logical_or4, where78, T(0));
    const T where80 = rt::where(eq6, where69, where67);
    const rt::Mask<T> logical_and3 = (!lt3) & (!eq7);
    const rt::Mask<T> logical_or6 = (eq6 & logical_and3) | ((!eq6) & logical_and3);
    const T where81 = rt::where(logical_or6, where80 * maximum3, T(0));
    const T where82 = rt::where(logical_or6, where80 * mul6, T(0));
    const T where83 = rt::where(logical_or4, where82, T(0));
    const T mul9 = (where77 + where81) * add6;
    const rt::Mask<T> logical_or7 = logical_or5 | logical_or6;
    const T div15 = mul9 / mul5;
    const T where84 = rt::where(logical_or7, -(div10 / mul5 * mul9), T(0));
    const T where85 = rt::where(logical_or4, where84, T(0));
    const T div16 = div15 / mul5;
    const T where86 = rt::where(logical_or7, -(div10 * div15), T(0));
    const T where87 = rt::where(logical_or4, where86, T(0));
    const T add7 = where85 - div9 / mul5 * total5 + where87;
    const T add8 = where79 + add7 * maximum3;
    const T add9 = where83 + add7 * maximum2;
    const T where88 = rt::where(eq4, add9 * T(0.5), add9);
    const T where89 = rt::where(lt2, T(0), where88);
    const T where90 = rt::where(eq5, T(0), (where71 + where89) / sqrt3);
    const T where91 = rt::where(eq6, add8 * T(0.5), add8);
    const T where92 = rt::where(lt3, T(0), where91);
    const T where93 = rt::where(eq7, T(0), (where65 + where92) / sqrt2);
    hoisted[0] = rt::where(logical_or4, T(1), T(0));
    hoisted[1] = div9;
    hoisted[2] = rt::where(eq5, T(1), T(0));
    hoisted[3] = div11;
    hoisted[4] = rt::where(eq7, T(1), T(0));
    hoisted[5] = div12;
    hoisted[6] = rt::where(logical_or7, T(1), T(0));
    hoisted[7] = div16;
    hoisted[8] = where90;
    hoisted[9] = where93;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> logical_or4 = hoisted[0] != T(0);
    const T div9 = hoisted[1];
    const rt::Mask<T> eq5 = hoisted[2] != T(0);
    const T div11 = hoisted[3];
    const rt::Mask<T> eq7 = hoisted[4] != T(0);
    const T div12 = hoisted[5];
    const rt::Mask<T> logical_or7 = hoisted[6] != T(0);
    const T div16 = hoisted[7];
    const T where90 = hoisted[8];
    const T where93 = hoisted[9];
    const T where62 = rt::where(logical_or4, grad_grad_y * div9, T(0));
    const T where63 = rt::where(logical_or4, grad_grad_x * div9, T(0));
    const T where64 = rt::where(eq7, T(0), grad_grad_x * div12);
    const T where70 = rt::where(eq5, T(0), grad_grad_y * div11);
    const T where94 = rt::where(logical_or7, div16 * y, T(0));
    const T where95 = rt::where(logical_or4, where94, T(0));
    const T where96 = rt::where(logical_or7, div16 * x, T(0));
    const T where97 = rt::where(logical_or4, where96, T(0));
    writes[0] = where62 + where64 + x * where93 + where95;
    writes[1] = where63 + where70 + y * where90 + where97;
  }
};

}  // namespace fusewise::ops::cosine_embedding_loss
