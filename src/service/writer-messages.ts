import type { Change } from './http/changes.ts';
import { toServiceError } from './http/problem.ts';
import { describeError, ServiceError } from './model/errors.ts';

/** What the worker thread is started with. */
export interface WorkerOptions {
  /** File of the database. */
  readonly location: string;
  /** Receiver that gets all deliveries, see `startDeliveries`. Null: deliver nothing. */
  readonly deliveries: { readonly sink: string | undefined } | null;
}

/** To the worker. Each is answered under its id. */
export interface WorkerRequest {
  readonly id: number;
  readonly ask: { readonly change: Change } | 'usage' | 'stop deliveries' | 'close';
}

/** From the worker: a response, or a line for the log. The first response has the id 0 and says that it is ready. */
export type WorkerMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly line: object };

/** Threads copy errors without their class and members. */
interface SentError
  extends Pick<ServiceError, 'code' | 'message' | 'fields' | 'headers' | 'existing' | 'fault'> {
  /** For the log. */
  readonly cause: string;
}

/** Posts what is sent in one turn of the event loop together: to wake the other thread takes longer than to copy. */
export function createOutbox<Message>(post: (messages: Message[]) => void): (message: Message) => void {
  let waiting: Message[] = [];
  return (message) => {
    waiting.push(message);
    if (waiting.length > 1) return;
    setImmediate(() => {
      post(waiting);
      waiting = [];
    });
  };
}

export function toSentError(error: unknown): SentError {
  const { code, message, fields, headers, existing, fault } = toServiceError(error);
  return { code, message, fields, headers, existing, fault, cause: describeError(error) };
}

export function fromSentError({ code, message, cause, ...extra }: SentError): ServiceError {
  return Object.assign(new ServiceError(code, message, extra), { cause });
}
