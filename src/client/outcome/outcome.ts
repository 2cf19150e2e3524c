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
  /** The object that is in the way, where the service shows it: untrusted. */
  readonly existing?: Readonly<Record<string, unknown>>;
}

/** What a service can do beyond the contract, section 10: `reads` can be asked, `keys` are applied once in a header, too. */
export type ServiceFeature = 'reads' | 'keys';

/** Why no response was read. `code` is stable, `message` is for people. */
export interface AttemptFailure {
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
    | 'headers_too_large'
    | 'server_error'
    | 'redirected'
    | 'throttled'
    | 'in_progress'
    | 'mismatched_response';
  readonly message: string;
}

interface Common {
  /** Requests that were started, the last one included. */
  readonly attempts: number;
  /** `X-Request-Id` of the last response. */
  readonly requestId: string | null;
  /** What `Service-Features` of the last response promises for this request; empty without the header. */
  readonly features: readonly ServiceFeature[];
}

interface NotApplied extends Common {
  /** Epoch milliseconds before which the service does not want to be asked again. */
  readonly retryAt: number | null;
}

/** 2xx with a readable body. */
export interface Applied<Body = unknown> extends Common {
  readonly kind: 'applied';
  readonly status: number;
  /** The JSON value that the service sent, fields unknown to the contract included. */
  readonly body: Body;
  /** The body as it was sent. */
  readonly text: string;
  readonly etag: string | null;
  /** True when the service says that it answered from an earlier request with the same key. */
  readonly replayed: boolean;
  /** Where the body differs from the contract, one line each: warnings, not errors. Found out when it is asked for. */
  readonly drift: readonly string[];
}

/** A definite refusal: nothing was applied. */
interface Rejected extends NotApplied {
  readonly kind: 'rejected';
  readonly status: number;
  readonly problem: Problem;
  /**
   * The service keeps this refusal for the idempotency key in the header: no request with this key was applied, and none will
   * be. It proves that an earlier attempt was not applied either.
   */
  readonly isKept: boolean;
}

/** It certainly did not happen: no byte of the request left this machine. */
interface NotSent extends NotApplied {
  readonly kind: 'not_sent';
  readonly failure: AttemptFailure;
}

/** Bytes left this machine and no response proves the outcome: it may have been applied. */
interface Unknown extends NotApplied {
  readonly kind: 'unknown';
  /** What is in doubt. */
  readonly failure: AttemptFailure;
  /** Of the last response, or null if none came. It does not settle the attempt in doubt. */
  readonly status: number | null;
  readonly problem: Problem | null;
}

/** How an operation ended. For a read, `applied` means answered, and `unknown` that there was no readable response. */
export type Outcome<Body = unknown> = Applied<Body> | Rejected | NotSent | Unknown;
export type OutcomeKind = Outcome['kind'];
