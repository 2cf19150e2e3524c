import type { Change } from './http/changes.ts';
import { describeError, ServiceError } from './model/errors.ts';
import { StorageBusyError } from './storage/core/errors.ts';

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

/** From the worker: an answer, or a line for the log. The first answer has the id 0 and says that it is ready. */
export type WorkerMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly line: object };

/** Threads copy errors without their class and members. */
interface SentError {
  readonly text: string;
  readonly isBusy: boolean;
  readonly refusal: Pick<ServiceError, 'code' | 'fields' | 'headers' | 'existing'> | null;
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
  if (error instanceof ServiceError) {
    const { message, code, fields, headers, existing } = error;
    return { text: message, isBusy: false, refusal: { code, fields, headers, existing } };
  }
  return { text: describeError(error), isBusy: error instanceof StorageBusyError, refusal: null };
}

export function fromSentError({ text, isBusy, refusal }: SentError): Error {
  if (refusal !== null) return new ServiceError(refusal.code, text, refusal);
  return isBusy ? new StorageBusyError(text) : new Error(text);
}
