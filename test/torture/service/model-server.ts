import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { otherPath, type Place } from '../client/machine.ts';
import type { OperationId } from '../operations.ts';
import {
  type BodyForm,
  type Fault,
  noFault,
  type ServiceKind,
  type View,
  viewOf,
  type Wait,
} from './faults.ts';
import {
  answerBytes,
  informationalBytes,
  type RawAnswer,
  type RawRequest,
  readRequests,
} from './http-socket.ts';
import { contradict, createModel, type Model, problem } from './model.ts';

/** A request that reached the server, with its outcome. */
export interface SeenRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** Which of the two services it was for. */
  readonly place: Place;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The idempotency key in its header, or null. */
  readonly key: string | null;
  readonly ifMatch: string | null;
  /** Null for a read. */
  readonly write: { readonly operation: OperationId; readonly subject: string } | null;
  readonly fault: Fault;
  /** Port that the client sent from, which tells which process sent it. */
  readonly clientPort: number;
  /** Tells connections apart; a port may be given again. */
  readonly connection: Socket;
  /** `process.hrtime` in milliseconds: the same clock for all processes of a machine. */
  readonly at: number;
  /** What the client can conclude, once the whole ending has been written. */
  view: View | null;
  /** Ids of what the service listed; null for anything else. */
  listed: readonly string[] | null;
  /** The response says that it is a refusal that stays the answer to the key. */
  isKept: boolean;
  /** The client takes a second response to an earlier request for its response, and never reads its own. */
  isHidden: boolean;
  /** When the ending began to be written; infinite where there is none. */
  answeredAt: number;
}

/** Moments at which a client may be killed. */
export type Moment = 'received' | 'applied' | 'answered';

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** What is true at the service of the schedule, and at its neighbour. */
  readonly models: Readonly<Record<Place, Model>>;
  readonly requests: readonly SeenRequest[];
  /** Called for each write. */
  onMoment: (moment: Moment, writeNumber: number) => void;
  /** From now on connections are refused, until {@link listen}. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  /** Resolves when everything that is applied late has been applied. */
  settled(): Promise<void>;
}

export interface ModelServerOptions {
  /** A loopback address that no other schedule uses at the same time: then no other can take its port. */
  readonly address: string;
  readonly subjects: readonly string[];
  readonly service: ServiceKind;
  readonly forgetsRefusals: boolean;
  /** Faults of writes and of reads, in the order of arrival; what comes after them passes. */
  readonly writeFaults: readonly Fault[];
  readonly readFaults: readonly Fault[];
}

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** A store management service that keeps the truth, behind a network that does what the faults say. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { service, forgetsRefusals } = options;
  const modelOptions = { hasFeatures: service !== 'plain', forgetsRefusals };
  const newModel = () => createModel(options.subjects, modelOptions);
  const models = { own: newModel(), other: newModel() };
  const hidesRequests = service === 'strips requests' || service === 'strips both';
  const hidesResponses = service === 'strips responses' || service === 'strips both';

  /** The service's answer as it comes out of the gateway. */
  function throughGateway(answer: RawAnswer, key: string | null): RawAnswer {
    if (!modelOptions.hasFeatures) return answer;
    const { 'idempotency-kept': kept, 'idempotency-replayed': replayed, ...headers } = answer.headers;
    if (hidesResponses) return { ...answer, headers };
    const features = key === null ? 'reads' : 'reads, keys';
    return { ...answer, headers: { ...answer.headers, 'service-features': features } };
  }
  /** Connections that are one response behind, and that response. */
  const behind = new Map<Socket, Buffer>();
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const late = new Set<Promise<void>>();
  let writes = 0;
  let reads = 0;
  let port = 0;

  const server = createServer((socket) => {
    sockets.add(socket);
    // A client that was killed resets its connection.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    readRequests(socket, (request) => {
      const handled = handle(request, socket)
        .catch((error: unknown) => void socket.destroy(error as Error))
        .then(() => void late.delete(handled));
      late.add(handled);
    });
  });

  /** The neighbour never fails. */
  function nextFault(place: Place, isRead: boolean): Fault {
    if (place === 'other') return noFault;
    return (isRead ? options.readFaults[reads++] : options.writeFaults[writes++]) ?? noFault;
  }

  async function handle(received: RawRequest, socket: Socket): Promise<void> {
    const place = received.path.startsWith(`${otherPath}/`) ? 'other' : 'own';
    const below = place === 'own' ? received.path : received.path.slice(otherPath.length);
    const sent = { ...received, path: routeOf(below) };
    const request = hidesRequests ? { ...sent, key: null } : sent;
    const model = models[place];
    const isRead = request.method === 'GET';
    const fault = nextFault(place, isRead);
    const writeNumber = isRead || place === 'other' ? 0 : writes;
    const note = (moment: Moment) => {
      if (writeNumber > 0) api.onMoment(moment, writeNumber);
    };
    const seen: SeenRequest = {
      number: requests.length + 1,
      place,
      ...sent,
      write: isRead ? null : model.identify(request),
      fault,
      clientPort: socket.remotePort ?? 0,
      connection: socket,
      at: monotonicMs(),
      view: null,
      listed: null,
      isKept: false,
      isHidden: false,
      answeredAt: Number.POSITIVE_INFINITY,
    };
    requests.push(seen);
    note('received');
    for (const status of fault.before) socket.write(informationalBytes(status));
    if (fault.delayMs > 0) await sleep(fault.delayMs);
    if (fault.otherUser !== undefined) model.changeByOtherUser(request, fault.otherUser, monotonicMs());
    const own = answerOf(model, request, seen.number, fault);
    if (isRead && own.status === 200) seen.listed = idsIn(own.body);
    const answer = throughGateway(own, request.key);
    if (fault.isDeliveredTwice && !isRead) applyLater(model, request, seen.number, fault);
    if (fault.applies === 'yes') note('applied');
    if (fault.ending.does !== 'hang') seen.answeredAt = monotonicMs();
    const earlier = behind.get(socket);
    seen.isHidden = earlier !== undefined;
    if (earlier !== undefined) socket.write(earlier);
    if (earlier !== undefined || fault.ending.does === 'answer-twice')
      behind.set(socket, answerBytes(answer));
    write(socket, answer, fault);
    // The response to another request is none to this one.
    seen.view = seen.isHidden ? 'doubtful' : viewOf(fault, answer.status, headAt(answer));
    const isOwn = ['answer', 'answer-and-close', 'answer-twice', 'contradict', 'cut'].includes(
      fault.ending.does,
    );
    seen.isKept = isOwn && seen.view === 'refused' && answer.headers['idempotency-kept'] === 'true';
    note('answered');
  }

  /** The service's own answer to the request, which it applies now, later or never. */
  function answerOf(model: Model, request: RawRequest, number: number, fault: Fault): RawAnswer {
    const read = model.read(request);
    if (read !== null) return read;
    if (fault.applies === 'yes') return model.apply(request, number, fault.refuses);
    if (fault.applies === 'later') applyLater(model, request, number, fault);
    return model.pretend(request);
  }

  function applyLater(model: Model, request: RawRequest, number: number, { laterMs }: Fault): void {
    const applied = sleep(laterMs).then(() => {
      model.apply(request, number);
      late.delete(applied);
    });
    late.add(applied);
  }

  async function listen(): Promise<void> {
    server.listen(port, options.address);
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) port = address.port;
  }

  async function refuse(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  async function settled(): Promise<void> {
    // A request that is being handled may yet be applied later.
    while (late.size > 0) await Promise.all(late);
  }

  await listen();
  const api: ModelServer = {
    url: `http://${options.address}:${port}`,
    models,
    requests,
    onMoment: () => {},
    refuse,
    listen,
    settled,
    async [Symbol.asyncDispose]() {
      await settled();
      if (server.listening) await refuse();
    },
  };
  return api;
}

function idsIn(body: string): string[] | null {
  const { items } = JSON.parse(body) as { items?: readonly { id: string }[] };
  return items?.map(({ id }) => id) ?? null;
}

/** The path as a service that is generous sees it: escapes, letters of ids, slashes and queries make no difference. */
function routeOf(path: string): string {
  const [plain = ''] = path.split('?');
  const decoded = plain.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decoded
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi, (uuid) => uuid.toLowerCase());
}

/** Writes what the client gets to see. */
function write(socket: Socket, answer: RawAnswer, { ending }: Fault): void {
  switch (ending.does) {
    case 'answer':
    case 'answer-twice':
      socket.write(answerBytes(answer));
      return;
    case 'answer-and-close':
      socket.end(answerBytes(answer));
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'close':
      socket.destroy();
      return;
    case 'cut': {
      const bytes = answerBytes(answer);
      socket.end(bytes.subarray(0, Math.min(Math.floor(bytes.length * ending.at), bytes.length - 1)));
      return;
    }
    case 'hang':
      return;
    case 'status':
      socket.end(answerBytes(gatewayAnswer(ending.status, ending.form, ending.wait)));
      return;
    case 'in-progress':
      socket.end(answerBytes(problem(409, 'idempotency_key_in_progress')));
      return;
    case 'unreadable':
      socket.end(unreadableBytes(answer, ending.form));
      return;
    case 'contradict':
      socket.write(answerBytes(contradict(answer, ending.what)));
  }
}

/** Where the head of a response ends, as a part of the whole. */
function headAt(answer: RawAnswer): number {
  const bytes = answerBytes(answer);
  return (bytes.length - Buffer.byteLength(answer.body)) / bytes.length;
}

function unreadableBytes(answer: RawAnswer, form: 'html' | 'empty' | 'half'): Buffer {
  const headers = { 'content-type': form === 'html' ? 'text/html' : 'application/json' };
  const whole = answer.body.slice(0, Math.floor(answer.body.length / 2));
  const body = { html: '<html><body>Welcome</body></html>', empty: '', half: whole }[form];
  return answerBytes({ status: 200, headers, body });
}

const bodies: Readonly<Record<BodyForm, readonly [type: string, body: (status: number) => string]>> = {
  problem: [
    'application/problem+json',
    (status) => JSON.stringify({ type: 'about:blank', title: 'No', status, code: `gateway_${status}` }),
  ],
  nested: ['application/json', () => JSON.stringify({ error: { code: 'no', message: 'not now' } })],
  word: ['application/json', () => JSON.stringify({ error: 'no' })],
  html: ['text/html', (status) => `<html><h1>${status} No</h1><hr>gateway</html>`],
  nothing: ['text/plain', () => ''],
};

function gatewayAnswer(status: number, form: BodyForm, wait: Wait | null): RawAnswer {
  const [type, body] = bodies[form];
  const location = status >= 300 && status < 400 ? { location: '/elsewhere' } : {};
  const headers = { 'content-type': type, connection: 'close', ...location, ...waitHeaders(wait) };
  return { status, headers, body: body(status) };
}

function waitHeaders(wait: Wait | null): Record<string, string> {
  if (wait === null) return {};
  if (wait.form === 'seconds') return { 'retry-after': String(Math.ceil(wait.ms / 1000)) };
  if (wait.form === 'endless') return { 'retry-after': '1'.padEnd(21, '0') };
  if (wait.form === 'decimal') return { 'retry-after': (wait.ms / 1000).toFixed(3) };
  const now = Math.floor(Date.now() / 1000) * 1000;
  return {
    date: new Date(now).toUTCString(),
    'retry-after': new Date(now + Math.ceil(wait.ms / 1000) * 1000).toUTCString(),
  };
}
