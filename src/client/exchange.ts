import type { AttemptFailure } from './outcome/outcome.ts';

/** One request with its response, for `--debug`. No text in it has the API key. */
export interface Exchange {
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Record<string, string>;
  readonly requestBody: string | null;
  readonly status: number | null;
  /** Reason phrase; empty if the server sent none. */
  readonly statusText: string;
  readonly responseHeaders: Record<string, string> | null;
  readonly responseBody: string | null;
  readonly failure: AttemptFailure | null;
  readonly durationMs: number;
}
