/** Headers of what this repository's service adds (docs/contract.md, section 10). HTTP reads their names in any letter case. */
export const additionHeaders = {
  /**
   * Of each response, errors included. A list: `reads` says that the service has the operations that are marked as additions,
   * `keys` that it has received the `Idempotency-Key` of this request, and applies such keys once.
   */
  features: 'Service-Features',
  /** Of a response to a valid key: the list of its scopes. */
  scopes: 'Service-Scopes',
  /** Of a response to a valid key: how many requests it may send (the IETF's field of that name). */
  rateLimitPolicy: 'RateLimit-Policy',
  /** Of a request that changes something: it is applied once. */
  idempotencyKey: 'Idempotency-Key',
  /** `true` with a response that was stored when the same key came first. */
  replayed: 'Idempotency-Replayed',
  /** `true` with a refusal that stays the response to its key, so that the change is not applied after it either. */
  kept: 'Idempotency-Kept',
} as const;
