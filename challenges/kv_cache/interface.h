// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_INTERFACE_H_
#define ASSAY_CHALLENGES_KV_CACHE_INTERFACE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A cache of attention keys and values (K and V), and attention over what it holds. C linkage;
 * valid C99 and C++.
 *
 * What it computes. A cache has `layers` layers and `batch` sequences, numbered from 0. In each
 * layer each sequence is a list of tokens in the order in which they were stored; token j has a
 * key k_j and a value v_j for each of `kv_heads` KV heads. Query head h reads KV head
 * g(h) = h / (query_heads / kv_heads). A query q of the token at position p gives, for each query
 * head,
 *
 *     s_j   = (q . k_j) / sqrt(head_size)          0 <= j <= p         (causal: never j > p)
 *     out   = sum_j exp(s_j) * v_j / sum_j exp(s_j)
 *
 * with k and v as stored (see Storage). With a window w > 0 the sum is over p - w < j <= p alone.
 *
 * Shapes, layout, alignment, aliasing. q and out are [tokens][query_heads][head_size]; k and v are
 * [tokens][kv_heads][head_size]; row-major and dense, float. Pointers are aligned to their element
 * and no better. No two buffers overlap. Inputs are read-only memory, and are valid during the call
 * alone: what the cache keeps it copies. Outputs hold random bits before the call.
 *
 * Ranges and special values. head_size 1 to 256, any number in it; capacity up to 131,072 tokens.
 * Stored values and queries up to 1e4 in magnitude, scores up to 1e8: the largest score has to be
 * subtracted before exp. NaN or infinity in k or v (f32, f16): every output that reads that token
 * may be anything; all others are as if it were not there, also after the sequence was freed and
 * its memory used again. For INT8 and INT4 k and v are finite.
 * Precision: at least as good as arithmetic in float, summed in any order, over k and v as stored.
 * The bound of each element of out, for tests too, with u = 2^-24, d = head_size, L tokens that are
 * seen, p_j = exp(s_j) / sum exp(s), c = 2 (L + 16) u, max and min over those tokens, v_j the
 * element of their values:
 *
 *     e_j = (d + 12) u sum_i |q_i k_ji| / sqrt(d) + 2u (max s - s_j) + 8u,    E = sum_j p_j e_j
 *     |error| <= min(sum_j p_j |v_j| (exp(e_j + E) - 1 + c), max v - min v + c max |v|)
 *                + 8u |out| + 2^-126
 *
 * Where q, k and v are random, alike and of mean 0, as in all that is timed, the RMS of a head's
 * errors is at most 4u (1.5 sqrt(d) + 0.4 sqrt(L)) times that of out (16u where one token has all
 * the weight), and an element is off by at most 4 times as much: float makes half of it, halves
 * make more. Timed tokens are read back.
 *
 * Errors and threads. Every function returns a kv_status and never throws, exits or prints. A call
 * that does not return KV_OK has changed nothing but the contents of `out`. A null cache, a layer
 * or sequence out of range: KV_INVALID_ARGUMENT. Where several statuses hold, the first of these is
 * said: KV_INVALID_ARGUMENT, KV_UNSUPPORTED, KV_CAPACITY, KV_NO_PAGES. A call keeps no memory but
 * scratch that it uses again: 2,500 like calls leave 64 KiB at most behind. One thread calls one
 * function at a time; several caches live at once and know nothing of each other. A function may
 * use threads of its own, which must have ended or be asleep when it returns.
 *
 * Source: Vaswani et al., Attention Is All You Need, arXiv:1706.03762, equation (1); grouped
 * queries: Ainslie et al., arXiv:2305.13245; pages: Kwon et al., arXiv:2309.06180.
 */

enum kv_status {
  KV_OK = 0,
  KV_INVALID_ARGUMENT = 1,
  KV_UNSUPPORTED = 2,   /* an honest "not supported": from the create functions for what the
                           capabilities do not report, and from kv_prefill for a chunk that cannot
                           be taken, which counts as skipped */
  KV_OUT_OF_MEMORY = 3, /* the machine has no more memory */
  KV_CAPACITY = 4,      /* a sequence would hold more than `capacity` tokens; never with a window:
                           old tokens make room, and a sequence goes on for ever */
  KV_NO_PAGES = 5,      /* the pool has fewer free pages than the call needs; KV_CAPACITY comes
                           first where both hold. When n sequences store into one shared page, n - 1
                           copies do; with pages for n - 1 and not n, KV_NO_PAGES is right too */
  KV_DEVICE_FAILURE = 6 /* CUDA alone: a call of the runtime or a launch failed */
};

/*
 * What an implementation can do beyond one KV head for each query head (MHA), f32, contiguous.
 * What is reported must work; what is not reported is not asked for.
 */
enum kv_capability {
  KV_CAN_GQA = 1,      /* kv_heads < query_heads */
  KV_CAN_MQA = 2,      /* kv_heads == 1 < query_heads */
  KV_CAN_F16 = 4,      /* storage KV_F16 */
  KV_CAN_INT8 = 8,     /* storage KV_INT8 */
  KV_CAN_INT4 = 16,    /* storage KV_INT4 */
  KV_CAN_PAGED = 32,   /* page_size > 0 */
  KV_CAN_CHUNKED = 64, /* kv_prefill of a sequence that is not empty */
  KV_CAN_HYBRID = 128, /* what is reported works together: f16, INT8 or INT4 with pages, chunks,
                          forks, grouped heads; pages with chunks (with forks or grouped heads they
                          always do). A window with grouped heads, or not in f32, may be refused
                          by kv_create (KV_UNSUPPORTED); what it accepts works */
  KV_CAN_FORK = 256,   /* kv_fork */
  KV_CAN_WINDOW = 512  /* window > 0, in a contiguous cache */
};

/* The kv_capability bits of this implementation. */
int kv_capabilities(void);

/*
 * Storage, exact to the code. What k_j and v_j become when they are stored, and what attention and
 * kv_read see:
 *
 *   KV_F32   the float itself
 *   KV_F16   IEEE binary16, rounded to nearest, ties to even; from 65520 on an infinity
 *   KV_INT8  symmetric, one scale for each token, KV head and K or V: scale = max|x| / 127, a
 * float; code = x / scale rounded to nearest, -127 to 127; the value is code * scale in float
 *   KV_INT4  the same with max|x| / 7 and codes -7 to 7, one scale for each 32 neighbours of the
 *            head's elements (the last group is shorter where 32 does not divide head_size); two
 *            codes a byte
 *
 * A group of zeros has scale 0. Where x / scale lies within 4 roundings of the middle between two
 * codes, either is right.
 *
 * Bytes of one token in one layer, K and V together, d = head_size:
 *
 *   KV_F32   kv_heads * 2 * 4 d              KV_INT8  kv_heads * 2 * (d + 4)
 *   KV_F16   kv_heads * 2 * 2 d              KV_INT4  kv_heads * 2 * (ceil(d / 2) + 4 ceil(d / 32))
 *
 * A full cache may take up to 1.25 times that, and 2 MiB, of the process's memory. Measured are its
 * resident anonymous pages: address space is free, and mmap, munmap and madvise are allowed. What
 * kv_free frees need not be given back, but is used again.
 */
enum kv_storage { KV_F32 = 0, KV_F16 = 1, KV_INT8 = 2, KV_INT4 = 3 };

struct kv_config {
  int32_t layers;
  int32_t query_heads;
  int32_t kv_heads;  /* divides query_heads */
  int32_t head_size; /* 1 to 256 */
  int32_t batch;     /* sequences */
  int32_t capacity;  /* most tokens of a sequence; each sequence of a contiguous cache has room */
  int32_t storage;   /* kv_storage */
  int32_t page_size; /* 0: contiguous; else tokens of a page */
  int32_t pages;     /* in the pool, of which all sequences take; 0 when contiguous */
  int32_t window;    /* 0: none; else the newest so many tokens are seen, at most `capacity`. In a
                        paged cache nobody asks for one (KV_UNSUPPORTED) */
};

typedef struct kv_cache kv_cache;

/*
 * A new cache, all sequences empty. KV_INVALID_ARGUMENT for a null pointer, any number below 1 (0
 * is allowed for page_size, pages and window), kv_heads that does not divide query_heads, an
 * unknown storage, pages without page_size or page_size without pages, window > capacity.
 * KV_UNSUPPORTED for what the capabilities do not report, and for head_size > 256.
 */
int kv_create(const struct kv_config* config, kv_cache** cache);

/* Gives all memory back. Null is allowed. */
int kv_destroy(kv_cache* cache);

/*
 * Stores `tokens` tokens at the end of the sequence in that layer, and computes the output of each:
 * out[i] is the output of query q[i] at the position of the i-th of them. On a sequence that is not
 * empty this is one chunk of a prefill (KV_CAN_CHUNKED): every q[i] sees all that was stored
 * before, too. tokens == 0 is KV_OK.
 */
int kv_prefill(kv_cache* cache, int32_t layer, int32_t sequence, size_t tokens, const float* q,
               const float* k, const float* v, float* out);

/*
 * Stores `count` tokens in that layer: the i-th at the end of sequence sequences[i]. A sequence may
 * stand in the list several times: its tokens are stored in the order of the list. All or none.
 */
int kv_append(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* k, const float* v);

/*
 * out[i] is the output of query q[i] at the position of the newest token of sequences[i] in that
 * layer: it sees all tokens that are stored. Sequences of any lengths, in any order, repeated or
 * not. An empty sequence gives zeros.
 */
int kv_attend(kv_cache* cache, int32_t layer, size_t count, const int32_t* sequences,
              const float* q, float* out);

/*
 * Makes the sequence empty in all layers. Its pages go back to the pool unless another sequence
 * shares them. Freeing an empty sequence is KV_OK.
 */
int kv_free(kv_cache* cache, int32_t sequence);

/*
 * Optional. Makes `child`, which must be empty, hold the same tokens as `parent` in all layers;
 * from then on neither sees what is stored into the other. In a paged cache this takes no page:
 * both share all pages until one of them stores into a shared one, and takes a page of its own for
 * that (copy on write). A contiguous cache copies the tokens. KV_INVALID_ARGUMENT when child is not
 * empty or is the parent.
 */
int kv_fork(kv_cache* cache, int32_t parent, int32_t child);

/* How many tokens were stored in the sequence in that layer (with a window: also those that no
 * query sees any more). */
int kv_length(const kv_cache* cache, int32_t layer, int32_t sequence, size_t* tokens);

struct kv_usage {
  uint64_t bytes;        /* of K and V with their scales: of the tokens stored (contiguous), or of
                            all slots of the pages in use (paged); with a window, at least of the
                            tokens that a query can still see */
  uint64_t pages_in_use; /* 0 when contiguous. A shared page counts once */
  uint64_t pages_free;
};

/*
 * A page holds page_size tokens of one sequence in all layers. A sequence that shares nothing
 * takes ceil(n / page_size) pages, n being its largest length in any layer.
 */
int kv_get_usage(const kv_cache* cache, struct kv_usage* usage);

/*
 * The tokens first, first + 1, ..., first + count - 1 of a sequence as they are stored: the values
 * that attention sees. KV_INVALID_ARGUMENT when one of them was not stored; for one that a window
 * hides, that or its values.
 */
int kv_read(const kv_cache* cache, int32_t layer, int32_t sequence, size_t first, size_t count,
            float* k, float* v);

/*
 * Optional: a small decoder over a cache of its own (one sequence, f32). For a token t at position
 * p:
 *
 *     x = embedding[t]
 *     in each layer:
 *       h = rmsnorm(x, attention_norm)
 *       q = Wq h, k = Wk h, v = Wv h;  q, k of each head rotated by p;  k, v stored
 *       x = x + Wo attention(q)                           (causal, grouped, as above)
 *       h = rmsnorm(x, mlp_norm)                          (only if mlp_width > 0)
 *       x = x + Wdown (silu(Wgate h) * (Wup h))
 *     logits = Woutput rmsnorm(x, final_norm)
 *
 *     rmsnorm(x, g)_i = g_i x_i / sqrt(mean_j x_j^2 + norm_eps);  silu(a) = a / (1 + exp(-a))
 *     rotation (if rope_base > 0; head_size even): for i < d/2, with a = p * rope_base^(-2i/d),
 *       (y_i, y_{i+d/2}) becomes (y_i cos a - y_{i+d/2} sin a, y_i sin a + y_{i+d/2} cos a);
 *       p is the absolute position in the sequence, also with a window
 *
 * `weights` holds, one after the other, matrices [output][input] in row-major order:
 *
 *     embedding [vocabulary][width]
 *     for each layer: attention_norm [width], Wq [query_heads*head_size][width],
 *       Wk, Wv [kv_heads*head_size][width], Wo [width][query_heads*head_size], and if mlp_width > 0
 *       mlp_norm [width], Wgate, Wup [mlp_width][width], Wdown [width][mlp_width]
 *     final_norm [width], Woutput [vocabulary][width]
 *
 * Sources: rmsnorm arXiv:1910.07467 (4); rotation arXiv:2104.09864 (34), halves paired as in the
 * Llama models; silu-gated MLP arXiv:2002.05202.
 */
struct kv_decoder_config {
  int32_t layers;
  int32_t width;
  int32_t query_heads;
  int32_t kv_heads;
  int32_t head_size;
  int32_t mlp_width; /* 0: no MLP */
  int32_t vocabulary;
  int32_t capacity;
  int32_t window;  /* 0: none */
  float rope_base; /* 0: no rotation */
  float norm_eps;
};

typedef struct kv_decoder kv_decoder;

/*
 * `weights` is valid during this call alone. KV_INVALID_ARGUMENT as in kv_create, and when
 * weight_count is not what the configuration needs, a token is not below vocabulary, head_size is
 * odd with rope_base > 0, or norm_eps < 0 (0 is allowed). KV_UNSUPPORTED is an honest answer of
 * kv_decoder_create to mlp_width, rope_base or window above 0, or to kv_heads < query_heads. All
 * five functions of the decoder are there, or none.
 *
 * Precision: a logit may be off by 4 times the most that it moves in six runs whose every operation
 * has a random error as float may make it (a sum of n terms (n + 2) u of their magnitudes, an angle
 * a 8u a), or by the mean of that over the vocabulary. Where logits are
 * about 1, the reference is within 1e-4.
 */
int kv_decoder_create(const struct kv_decoder_config* config, const float* weights,
                      size_t weight_count, kv_decoder** decoder);
int kv_decoder_destroy(kv_decoder* decoder);
/* Makes it as new. */
int kv_decoder_reset(kv_decoder* decoder);
/* Takes `count` >= 1 tokens in, after those it has; logits [vocabulary] of the last one. */
int kv_decoder_prefill(kv_decoder* decoder, size_t count, const int32_t* tokens, float* logits);
/* The same for one token. */
int kv_decoder_step(kv_decoder* decoder, int32_t token, float* logits);

/*
 * Optional. Draws a token from logits [vocabulary] with `uniform` in [0, 1): keep the top_k largest
 * (0: all; of equal ones those of lower index), p_i proportional to exp(logit_i / temperature); in
 * descending order of p (equal ones: lower index first) the first token at which the cumulative
 * probability is over `uniform`, or a neighbour where the border between them is within
 * 4 (n + 64) 2^-24 of it, n tokens being kept. temperature 0: the largest logit, of equal ones the
 * first, whatever top_k. p of -infinity is 0; NaN and +infinity are not asked.
 * KV_INVALID_ARGUMENT: vocabulary < 1, temperature < 0 or NaN, uniform outside [0, 1), top_k < 0.
 */
int kv_sample(int32_t vocabulary, const float* logits, float temperature, int32_t top_k,
              float uniform, int32_t* token);

/*
 * Optional, in CUDA: attention of one query for each sequence over a paged f32 cache in device
 * memory.
 *
 * Meaning. out of sequence s is the output above of its query at position lengths[s] - 1: it sees
 * tokens 0 to lengths[s] - 1. Token j is slot j % page_size of page
 * page_table[s * table_stride + j / page_size]. lengths[s] == 0 gives zeros.
 *
 * Shapes and layout. q and out are [sequences][query_heads][head_size]; key_pages and value_pages
 * are [page][kv_heads][page_size][head_size]; page_table is [sequences][table_stride]; lengths is
 * [sequences], 0 <= lengths[s] <= table_stride * page_size. Row-major and dense, f32. All pointers
 * are device memory, which the host cannot read, aligned to their element and no better. A page
 * may stand in several places, of one sequence or of several. `workspace` is aligned to 256 bytes,
 * uninitialised, and of exactly kv_paged_decode_cuda_workspace_bytes(...) bytes; for 0 it is NULL.
 * No two buffers overlap. Inputs must not be written.
 *
 * What is not to be read: entries of page_table from ceil(lengths[s] / page_size) on, which are no
 * page numbers (-1, 2^31 - 1), and pages that no sequence uses. Slots of a page beyond the length
 * may hold anything, NaN included, and must not act on `out`.
 *
 * Ranges, NaN, infinity and precision: as above. Asked for: head_size 1 to 256, any page_size,
 * lengths up to 131,072, any number of query heads for a KV head, pools beyond 2^31 elements.
 *
 * Errors, in this order, and nothing is written: sequences < 0, any other number below 1, kv_heads
 * that does not divide query_heads, a wrong workspace_bytes (0 for no sequences):
 * KV_INVALID_ARGUMENT; head_size > 256, and what is not supported: KV_UNSUPPORTED; sequences == 0:
 * KV_OK. KV_DEVICE_FAILURE: a call of the runtime or a launch failed.
 *
 * Streams. Work is ordered on `stream` (0 is the default stream; another is non-blocking): it
 * begins after what is on the stream, and `out` is in place once the caller has synchronised it.
 * No work may be left elsewhere. Each call begins anew: nothing may be kept between calls but
 * device memory of one's own whose content does not matter.
 *
 * Kernels do the work: they load each key and store `out`; to the host, by mapped memory too, go at
 * most as many bytes as lengths has and 64.
 *
 * What is measured: launches, and bytes loaded and stored, as threads ask for them and as they
 * reach DRAM, over the least, K and V once for each KV head:
 *
 *     8 * kv_heads * head_size * sum(lengths) + 8 * query_heads * head_size * sequences +
 *     4 * sum(ceil(lengths / page_size)) + 4 * sequences          (q and out; table; lengths)
 */

/* A cudaStream_t: the same type, so that this header needs none of CUDA's. */
struct CUstream_st;
typedef struct CUstream_st* kv_stream;

/* Bytes of workspace that kv_paged_decode_f32_cuda needs at this size, 0 where it refuses that.
 * Needed beside it. */
size_t kv_paged_decode_cuda_workspace_bytes(int32_t sequences, int32_t query_heads,
                                            int32_t kv_heads, int32_t head_size, int32_t page_size,
                                            int32_t table_stride);

int kv_paged_decode_f32_cuda(int32_t sequences, int32_t query_heads, int32_t kv_heads,
                             int32_t head_size, int32_t page_size, const float* q,
                             const float* key_pages, const float* value_pages,
                             const int32_t* page_table, int32_t table_stride,
                             const int32_t* lengths, float* out, void* workspace,
                             size_t workspace_bytes, kv_stream stream);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_CHALLENGES_KV_CACHE_INTERFACE_H_ */
