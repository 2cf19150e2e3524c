/** The refusal of a service, read from any form of error body. */
export interface Problem {
  /** HTTP status. */
  readonly status: number;
  /** Stable code such as `validation_failed`; null if the body has none. */
  readonly code: string | null;
  /** One line for people, as the service sent it: untrusted text. */
  readonly message: string;
  /** The fields that the service objects to; `path` is dotted (`settings.cashbackBp`). */
  readonly fields: readonly {
    readonly path: string;
    readonly code: string | null;
    readonly detail: string;
  }[];
  /** The object that is in the way, if the service shows it: untrusted text. */
  readonly existing?: Readonly<Record<string, unknown>>;
}

/**
 * A feature beyond the contract (section 10). `reads`: the service has lists and more reads. `keys`: the service applies each key of a
 * header once.
 */
export type ServiceFeature = 'reads' | 'keys';

/** Why an attempt has no readable response. `code` is stable, `message` is for people. */
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
  /** How many requests were started. */
  readonly attempts: number;
  /** `X-Request-Id` of the last response. */
  readonly requestId: string | null;
  /** The header `Service-Features` of the last response; empty without it. */
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
  /** Where the body differs from the contract, a line each. These are warnings, not errors. Computed when it is first read. */
  readonly drift: readonly string[];
}

/** The service has refused the request: nothing was applied. */
export interface Rejected extends NotApplied {
  readonly kind: 'rejected';
  readonly status: number;
  readonly problem: Problem;
  /**
   * The service keeps this refusal for the idempotency key in the header: no request with this key was applied, and none will be. So an
   * earlier attempt with the key was not applied either.
   */
  readonly isKept: boolean;
}

/** No byte of the request left this machine, so nothing was applied. */
interface NotSent extends NotApplied {
  readonly kind: 'not_sent';
  readonly failure: AttemptFailure;
}

/** Bytes of the request left this machine, and no response proves the outcome: the request may have been applied. */
interface Unknown extends NotApplied {
  readonly kind: 'unknown';
  /** Why the attempt in doubt has no readable response. */
  readonly failure: AttemptFailure;
  /** The status of the last response, or null if none came. This response does not settle the attempt in doubt. */
  readonly status: number | null;
  readonly problem: Problem | null;
}

/** How an operation ended. For a read, `applied` means that it was answered, and `unknown` that there was no readable response. */
export type Outcome<Body = unknown> = Applied<Body> | Rejected | NotSent | Unknown;
export type OutcomeKind = Outcome['kind'];
