	.file	"k.cpp"
	.text
	.p2align 4
	.globl	k
	.type	k, @function
k:
.LFB7912:
	.cfi_startproc
	testq	%rcx, %rcx
	jle	.L19
	leaq	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	andq	$-64, %rsp
	movq	%rdi, %rsi
	pushq	-8(%r10)
	pushq	%rbp
	movq	%rsp, %rbp
	.cfi_escape 0x10,0x6,0x2,0x76,0
	pushq	%r15
	.cfi_escape 0x10,0xf,0x2,0x76,0x78
	leaq	0(,%rcx,4), %r15
	pushq	%r14
	leaq	(%rdi,%r15), %rdi
	.cfi_escape 0x10,0xe,0x2,0x76,0x70
	xorl	%r14d, %r14d
	pushq	%r13
	.cfi_escape 0x10,0xd,0x2,0x76,0x68
	leaq	-1(%rcx), %r13
	addq	%rdi, %r15
	pushq	%r12
	andq	$-64, %r13
	.cfi_escape 0x10,0xc,0x2,0x76,0x60
	leaq	-48(%rbp), %r12
	pushq	%r10
	.cfi_escape 0xf,0x3,0x76,0x58,0x6
	addq	$64, %r13
	pushq	%rbx
	subq	$1408, %rsp
	.cfi_escape 0x10,0x3,0x2,0x76,0x50
	.p2align 4,,10
	.p2align 3
.L5:
	vmovups	64(%r15), %zmm6
	vmovups	(%rsi,%r14,4), %zmm3
	vmovups	64(%rsi,%r14,4), %zmm5
	vmulps	(%rdi), %zmm3, %zmm28
	vmulps	64(%rdi), %zmm5, %zmm27
	vmovups	(%r15), %zmm2
	vmovaps	%zmm6, -688(%rbp)
	vmovups	128(%rsi,%r14,4), %zmm7
	vmovups	192(%rsi,%r14,4), %zmm1
	vmovaps	%zmm3, -368(%rbp)
	vmulps	128(%rdi), %zmm7, %zmm26
	vbroadcastss	.LC3(%rip), %zmm6
	vmovaps	%zmm2, -624(%rbp)
	vmulps	192(%rdi), %zmm1, %zmm25
	vfmadd213ps	.LC4(%rip), %zmm27, %zmm6
	vmovaps	%zmm7, -496(%rbp)
	vmovaps	%zmm1, -560(%rbp)
	vbroadcastss	.LC3(%rip), %zmm7
	vbroadcastss	.LC3(%rip), %zmm1
	vfmadd213ps	.LC4(%rip), %zmm28, %zmm7
	vfmadd213ps	.LC4(%rip), %zmm26, %zmm1
	vmovaps	%zmm5, -432(%rbp)
	vmovups	128(%r15), %zmm2
	vmovups	192(%r15), %zmm4
	vaddps	.LC6(%rip), %zmm6, %zmm14
	vaddps	.LC6(%rip), %zmm7, %zmm15
	vmovaps	%zmm2, -752(%rbp)
	vbroadcastss	.LC3(%rip), %zmm2
	vfmadd213ps	.LC4(%rip), %zmm25, %zmm2
	vmovaps	%zmm4, -816(%rbp)
	vmovaps	%zmm7, -880(%rbp)
	vmovaps	%zmm14, %zmm0
	vmovaps	%zmm15, %zmm24
	vmovaps	%zmm14, %zmm23
	vmovaps	%zmm6, -944(%rbp)
	vmovaps	%zmm15, %zmm3
	vmovaps	%zmm1, -1008(%rbp)
	vaddps	.LC6(%rip), %zmm1, %zmm13
	vmulps	.LC8(%rip), %zmm14, %zmm5
	vfmsub132ps	.LC8(%rip), %zmm5, %zmm0
	vaddps	.LC6(%rip), %zmm2, %zmm12
	vmovaps	%zmm2, -1072(%rbp)
	vmulps	.LC8(%rip), %zmm13, %zmm4
	vfmadd132ps	.LC12(%rip), %zmm28, %zmm24
	vmulps	.LC8(%rip), %zmm15, %zmm6
	vmovaps	%zmm13, %zmm22
	vbroadcastss	.LC17(%rip), %zmm19
	vfmadd132ps	.LC12(%rip), %zmm26, %zmm22
	vmovaps	%zmm12, %zmm21
	vbroadcastss	.LC17(%rip), %zmm18
	vfmadd132ps	.LC12(%rip), %zmm27, %zmm23
	vfmadd132ps	.LC12(%rip), %zmm25, %zmm21
	vmulps	.LC8(%rip), %zmm12, %zmm7
	vmovaps	%zmm0, %zmm2
	vmovaps	%zmm13, %zmm0
	vbroadcastss	.LC17(%rip), %zmm17
	vfmsub132ps	.LC8(%rip), %zmm4, %zmm0
	vfmsub132ps	.LC8(%rip), %zmm6, %zmm3
	vfmadd132ps	.LC14(%rip), %zmm2, %zmm14
	vaddps	%zmm24, %zmm6, %zmm11
	vbroadcastss	.LC17(%rip), %zmm16
	vfmadd132ps	.LC14(%rip), %zmm3, %zmm15
	vaddps	%zmm22, %zmm4, %zmm9
	vaddps	%zmm23, %zmm5, %zmm10
	vaddps	%zmm21, %zmm7, %zmm8
	vsubps	%zmm24, %zmm11, %zmm24
	vsubps	%zmm22, %zmm9, %zmm22
	vmovaps	%zmm0, %zmm1
	vmovaps	%zmm12, %zmm0
	vfmadd132ps	.LC14(%rip), %zmm1, %zmm13
	vsubps	%zmm23, %zmm10, %zmm23
	vfmsub132ps	.LC8(%rip), %zmm7, %zmm0
	vsubps	%zmm24, %zmm6, %zmm6
	vsubps	%zmm21, %zmm8, %zmm21
	vmulps	%zmm10, %zmm10, %zmm1
	vsubps	%zmm22, %zmm4, %zmm4
	vaddps	%zmm10, %zmm10, %zmm10
	vmulps	%zmm9, %zmm9, %zmm2
	vaddps	%zmm9, %zmm9, %zmm9
	vsubps	%zmm23, %zmm5, %zmm5
	vfmadd132ps	.LC14(%rip), %zmm0, %zmm12
	vaddps	%zmm15, %zmm6, %zmm6
	vmulps	%zmm11, %zmm11, %zmm0
	vaddps	%zmm13, %zmm4, %zmm4
	vaddps	%zmm11, %zmm11, %zmm11
	vmulps	%zmm8, %zmm8, %zmm3
	vaddps	%zmm14, %zmm5, %zmm5
	vaddps	%zmm8, %zmm8, %zmm8
	vmulps	%zmm1, %zmm1, %zmm30
	vfmadd213ps	.LC18(%rip), %zmm0, %zmm19
	vmulps	%zmm2, %zmm2, %zmm29
	vfmadd213ps	.LC18(%rip), %zmm1, %zmm18
	vfmadd213ps	.LC18(%rip), %zmm2, %zmm17
	vfmadd213ps	.LC18(%rip), %zmm3, %zmm16
	vmulps	%zmm0, %zmm0, %zmm31
	vfmadd231ps	.LC20(%rip), %zmm29, %zmm17
	vmulps	%zmm3, %zmm3, %zmm20
	vfmadd231ps	.LC20(%rip), %zmm31, %zmm19
	vfmadd231ps	.LC20(%rip), %zmm30, %zmm18
	vfmadd231ps	.LC20(%rip), %zmm20, %zmm16
	vfmadd213ps	.LC22(%rip), %zmm0, %zmm19
	vfmadd213ps	.LC22(%rip), %zmm1, %zmm18
	vmulps	%zmm9, %zmm4, %zmm4
	vmovaps	%zmm29, %zmm9
	vfmadd213ps	.LC22(%rip), %zmm2, %zmm17
	vfmadd213ps	.LC22(%rip), %zmm3, %zmm16
	vmulps	%zmm11, %zmm6, %zmm6
	vmulps	%zmm10, %zmm5, %zmm5
	vandps	.LC28(%rip), %zmm28, %zmm10
	vfmadd132ps	%zmm17, %zmm4, %zmm9
	vsubps	%zmm21, %zmm7, %zmm4
	vmovaps	-880(%rbp), %zmm7
	vfmadd231ps	%zmm19, %zmm31, %zmm6
	vfmadd231ps	%zmm18, %zmm30, %zmm5
	vaddps	%zmm12, %zmm4, %zmm4
	vaddps	%zmm9, %zmm2, %zmm2
	vandps	.LC28(%rip), %zmm27, %zmm9
	vmulps	%zmm8, %zmm4, %zmm4
	vandps	.LC28(%rip), %zmm26, %zmm8
	vaddps	%zmm5, %zmm1, %zmm1
	vpxor	%xmm5, %xmm5, %xmm5
	vcmpps	$14, .LC0(%rip), %zmm9, %k0
	vcmpps	$14, .LC0(%rip), %zmm8, %k2
	vfmadd132ps	%zmm16, %zmm4, %zmm20
	vaddps	%zmm6, %zmm0, %zmm4
	vandps	.LC24(%rip), %zmm7, %zmm0
	vmovaps	-944(%rbp), %zmm6
	vmovaps	-1008(%rbp), %zmm7
	vpcmpd	$4, %zmm5, %zmm0, %k1
	vbroadcastss	.LC27(%rip), %zmm5
	vandps	.LC24(%rip), %zmm6, %zmm0
	vpxor	%xmm6, %xmm6, %xmm6
	vsubps	%zmm4, %zmm5, %zmm4{%k1}
	vpcmpd	$4, %zmm6, %zmm0, %k1
	vandps	.LC24(%rip), %zmm7, %zmm0
	vmovaps	-1072(%rbp), %zmm7
	vmovaps	%zmm5, %zmm6
	vaddps	%zmm20, %zmm3, %zmm3
	vsubps	%zmm1, %zmm5, %zmm1{%k1}
	vpxor	%xmm5, %xmm5, %xmm5
	vpcmpd	$4, %zmm5, %zmm0, %k1
	vandps	.LC24(%rip), %zmm7, %zmm0
	vpxor	%xmm7, %xmm7, %xmm7
	vsubps	%zmm2, %zmm6, %zmm2{%k1}
	vpcmpd	$4, %zmm7, %zmm0, %k1
	vandps	.LC28(%rip), %zmm25, %zmm7
	vsubps	%zmm3, %zmm6, %zmm3{%k1}
	vcmpps	$14, .LC0(%rip), %zmm10, %k1
	korw	%k0, %k1, %k1
	korw	%k2, %k1, %k1
	vcmpps	$14, .LC0(%rip), %zmm7, %k0
	korw	%k0, %k1, %k1
	vmovdqa32	.LC30(%rip), %zmm0{%k1}{z}
	vextracti64x2	$1, %ymm0, %xmm6
	vpextrq	$1, %xmm0, %rcx
	vmovq	%xmm0, %rax
	valignq	$3, %ymm0, %ymm0, %ymm5
	orq	%rcx, %rax
	vextracti64x4	$0x1, %zmm0, %ymm0
	vmovq	%xmm6, %rcx
	vextracti64x2	$1, %ymm0, %xmm6
	orq	%rcx, %rax
	vmovq	%xmm5, %rcx
	orq	%rcx, %rax
	vmovq	%xmm0, %rcx
	orq	%rcx, %rax
	vpextrq	$1, %xmm0, %rcx
	valignq	$3, %ymm0, %ymm0, %ymm0
	orq	%rcx, %rax
	vmovq	%xmm6, %rcx
	orq	%rcx, %rax
	vmovq	%xmm0, %rcx
	orq	%rcx, %rax
	je	.L6
	movq	%rdi, -880(%rbp)
	leaq	-304(%rbp), %rbx
	movq	%rsi, -1144(%rbp)
	movq	%rdx, -1152(%rbp)
	vmovaps	%zmm28, -304(%rbp)
	vmovaps	%zmm27, -240(%rbp)
	vmovaps	%zmm26, -176(%rbp)
	vmovaps	%zmm25, -112(%rbp)
	vmovaps	%zmm4, -944(%rbp)
	vmovaps	%zmm1, -1008(%rbp)
	vmovaps	%zmm2, -1072(%rbp)
	vmovaps	%zmm3, -1136(%rbp)
	vmovaps	%zmm10, -1264(%rbp)
	vmovaps	%zmm9, -1328(%rbp)
	vmovaps	%zmm8, -1392(%rbp)
	vmovaps	%zmm7, -1456(%rbp)
	vzeroupper
	.p2align 4,,10
	.p2align 3
.L4:
	vmovss	(%rbx), %xmm0
	addq	$4, %rbx
	call	sinf@PLT
	vmulss	%xmm0, %xmm0, %xmm0
	vmovss	%xmm0, -4(%rbx)
	cmpq	%r12, %rbx
	jne	.L4
	vbroadcastss	.LC1(%rip), %zmm5
	vmovaps	-1264(%rbp), %zmm10
	vmovaps	-944(%rbp), %zmm4
	vmovaps	-1328(%rbp), %zmm9
	vcmpps	$1, %zmm10, %zmm5, %k1
	vmovaps	-1008(%rbp), %zmm1
	vmovaps	-1392(%rbp), %zmm8
	movq	-880(%rbp), %rdi
	movq	-1144(%rbp), %rsi
	vmovaps	-1072(%rbp), %zmm2
	movq	-1152(%rbp), %rdx
	vmovaps	-304(%rbp), %zmm4{%k1}
	vcmpps	$1, %zmm9, %zmm5, %k1
	vmovaps	-1456(%rbp), %zmm7
	vmovaps	-1136(%rbp), %zmm3
	vmovaps	-240(%rbp), %zmm1{%k1}
	vcmpps	$1, %zmm8, %zmm5, %k1
	vmovaps	-176(%rbp), %zmm2{%k1}
	vcmpps	$1, %zmm7, %zmm5, %k1
	vmovaps	-112(%rbp), %zmm3{%k1}
.L6:
	vdivps	-624(%rbp), %zmm4, %zmm4
	vdivps	-688(%rbp), %zmm1, %zmm1
	vaddps	-368(%rbp), %zmm4, %zmm4
	vaddps	-432(%rbp), %zmm1, %zmm1
	addq	$256, %rdi
	addq	$256, %r15
	vdivps	-752(%rbp), %zmm2, %zmm2
	vdivps	-816(%rbp), %zmm3, %zmm3
	vaddps	-496(%rbp), %zmm2, %zmm2
	vaddps	-560(%rbp), %zmm3, %zmm3
	vmovups	%zmm4, (%rdx,%r14,4)
	vmovups	%zmm1, 64(%rdx,%r14,4)
	vmovups	%zmm2, 128(%rdx,%r14,4)
	vmovups	%zmm3, 192(%rdx,%r14,4)
	addq	$64, %r14
	cmpq	%r13, %r14
	jne	.L5
	vzeroupper
	addq	$1408, %rsp
	popq	%rbx
	popq	%r10
	.cfi_def_cfa 10, 0
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	leaq	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
.L19:
	.cfi_restore 3
	.cfi_restore 6
	.cfi_restore 12
	.cfi_restore 13
	.cfi_restore 14
	.cfi_restore 15
	ret
	.cfi_endproc
.LFE7912:
	.size	k, .-k
	.section	.rodata
	.align 64
.LC0:
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.long	1207959552
	.set	.LC1,.LC0
	.section	.rodata.cst4,"aM",@progbits,4
	.align 4
.LC3:
	.long	1059256707
	.section	.rodata
	.align 64
.LC4:
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.long	1262485504
	.align 64
.LC6:
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.long	-884998144
	.align 64
.LC8:
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.long	859553070
	.align 64
.LC12:
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.long	-1077342245
	.align 64
.LC14:
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.long	653733101
	.section	.rodata.cst4
	.align 4
.LC17:
	.long	-1152396560
	.section	.rodata
	.align 64
.LC18:
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.long	1026951835
	.align 64
.LC20:
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.long	957162726
	.align 64
.LC22:
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.long	-1096111447
	.align 64
.LC24:
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.long	1
	.section	.rodata.cst4
	.align 4
.LC27:
	.long	1065353216
	.section	.rodata
	.align 64
.LC28:
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.long	2147483647
	.align 64
.LC30:
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.long	-1
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
