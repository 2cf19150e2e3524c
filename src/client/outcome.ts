/** What a service said when it refused, whatever the form of its error body. */
export interface Problem {
  /** HTTP status. */
  readonly status: number;
  /** Stable code such as `validation_failed`, where the body has one. */
  readonly code: string | null;
  /** One line for people, as the service sent it: untrusted text. */
  readonly message: string;
  /** The fields that the service objects to; `path` is dotted (`settings.cashbackBp`). */
  readonly fields: readonly {
    readonly path: string;
    readonly code: string | null;
    readonly detail: string;
  }[];
}

/** Why no answer was read. `code` is stable, `message` is for people. */
export interface Failure {
  readonly code:
    | 'name_not_found'
    | 'connection_refused'
    | 'connect_timeout'
    | 'connect_failed'
    | 'tls_handshake_failed'
    | 'certificate_untrusted'
    | 'proxy_failed'
    | 'connection_lost'
    | 'timeout'
    | 'cancelled'
    | 'unreadable_body'
    | 'body_too_large'
    | 'server_error'
    | 'in_progress';
  readonly message: string;
}

interface Common {
  /** Requests that were started, the last one included. */
  readonly attempts: number;
  /** `X-Request-Id` of the last answer. */
  readonly requestId: string | null;
}

/** 2xx with a readable body. */
export interface Applied extends Common {
  readonly kind: 'applied';
  readonly status: number;
  /** The JSON value that the service sent, fields unknown to the contract included. */
  readonly body: unknown;
  /** The body as it was sent. */
  readonly text: string;
  readonly etag: string | null;
  /** True when the service says that it answered from an earlier request with the same key. */
  readonly replayed: boolean;
  /** Where the body differs from the contract, one line each: warnings, not errors. Found out when it is asked for. */
  readonly drift: readonly string[];
}

/** A definite refusal: nothing was applied. */
export interface Rejected extends Common {
  readonly kind: 'rejected';
  readonly status: number;
  readonly problem: Problem;
  /** Epoch milliseconds before which the service does not want to be asked again. */
  readonly retryAt: number | null;
}

/** It certainly did not happen: no byte of the request left this machine. */
export interface NotSent extends Common {
  readonly kind: 'not_sent';
  readonly failure: Failure;
}

/** The request left this machine and no readable answer came back, so it may have been applied. */
export interface Unknown extends Common {
  readonly kind: 'unknown';
  /** Status of the last answer, where there was one (5xx, or a 2xx that could not be read). */
  readonly status: number | null;
  readonly failure: Failure;
  readonly problem: Problem | null;
  readonly retryAt: number | null;
}

/** How an operation ended. For a read, `applied` means answered, and `unknown` that there was no readable answer. */
export type Outcome = Applied | Rejected | NotSent | Unknown;
export type OutcomeKind = Outcome['kind'];
