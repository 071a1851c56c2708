;; Dot products of vectors of float32 in memory, each $bytes long, a multiple of 64.
(module
  (import "vectors" "memory" (memory 1))
  ;; That of the vectors at $a and at $b. Four sums of four lanes hide the latency of the additions. Their order is
  ;; fixed, so every machine gets the same bits.
  (func $dot (export "dot") (param $a i32) (param $b i32) (param $bytes i32) (result f32)
    (local $end i32) (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (loop $next
      (local.set $s0 (f32x4.add (local.get $s0) (f32x4.mul (v128.load (local.get $a)) (v128.load (local.get $b)))))
      (local.set $s1 (f32x4.add (local.get $s1) (f32x4.mul (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b)))))
      (local.set $s2 (f32x4.add (local.get $s2) (f32x4.mul (v128.load offset=32 (local.get $a)) (v128.load offset=32 (local.get $b)))))
      (local.set $s3 (f32x4.add (local.get $s3) (f32x4.mul (v128.load offset=48 (local.get $a)) (v128.load offset=48 (local.get $b)))))
      (local.set $a (i32.add (local.get $a) (i32.const 64)))
      (local.set $b (i32.add (local.get $b) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $a) (local.get $end))))
    (local.set $s0 (f32x4.add (f32x4.add (local.get $s0) (local.get $s1)) (f32x4.add (local.get $s2) (local.get $s3))))
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $s0)) (f32x4.extract_lane 1 (local.get $s0)))
      (f32.add (f32x4.extract_lane 2 (local.get $s0)) (f32x4.extract_lane 3 (local.get $s0)))))
  ;; Those of the vector at $a with $count vectors that lie one after the other from $b on, written from $out on.
  ;; One by one: comparing two, four or eight in one pass was slower.
  (func (export "dots") (param $a i32) (param $b i32) (param $bytes i32) (param $count i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (f32.store (local.get $out) (call $dot (local.get $a) (local.get $b) (local.get $bytes)))
      (local.set $b (i32.add (local.get $b) (local.get $bytes)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $out) (local.get $end))))))
