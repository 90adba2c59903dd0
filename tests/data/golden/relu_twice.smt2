; L1 0159d7b60bc9f5c94f5159fcd7b8e6fd241d2374064574f6e3c2252321021d43
; y: both graphs give the same
(set-logic ALL)
(declare-const x1 Real)
(declare-const x2 Real)
(declare-const x3 Real)
(declare-const x4 Real)
(define-fun t1 () Real (ite (>= (ite (>= x1 0.0) x1 0.0) 0.0) (ite (>= x1 0.0) x1 0.0) 0.0))
(define-fun t2 () Real (ite (>= (ite (>= x2 0.0) x2 0.0) 0.0) (ite (>= x2 0.0) x2 0.0) 0.0))
(define-fun t3 () Real (ite (>= (ite (>= x3 0.0) x3 0.0) 0.0) (ite (>= x3 0.0) x3 0.0) 0.0))
(define-fun t4 () Real (ite (>= (ite (>= x4 0.0) x4 0.0) 0.0) (ite (>= x4 0.0) x4 0.0) 0.0))
(assert (or
  (not (= t1 (ite (>= x1 0.0) x1 0.0)))
  (not (= t2 (ite (>= x2 0.0) x2 0.0)))
  (not (= t3 (ite (>= x3 0.0) x3 0.0)))
  (not (= t4 (ite (>= x4 0.0) x4 0.0)))))
