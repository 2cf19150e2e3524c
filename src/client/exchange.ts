import type { AttemptFailure } from './outcome/outcome.ts';

/** One request and what came of it, for `--debug` and the like. The API key is in none of its strings. */
export interface Exchange {
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Record<string, string>;
  readonly requestBody: string | null;
  readonly status: number | null;
  /** Reason phrase, empty where the server sent none. */
  readonly statusText: string;
  readonly responseHeaders: Record<string, string> | null;
  readonly responseBody: string | null;
  readonly failure: AttemptFailure | null;
  readonly durationMs: number;
}
