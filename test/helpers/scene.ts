import { onTestFinished } from 'vitest';
import type { ExampleStore } from '../../src/service/index.ts';
import { type Access, accessTo, type Machine, newMachine } from './cli.ts';
import { type Behaviour, type FaultServer, startFaultServer } from './fault-server.ts';
import { type Hidden, type LossyProxy, startLossyProxy } from './lossy-proxy.ts';
import { newProgramMachine, type ProgramMachine } from './program.ts';
import { type ServiceOptions, startService, type TestService } from './service.ts';

type Environment = Readonly<Record<string, string>>;

interface MachineOptions {
  /** Of every run, besides what names the service, the store and the key. */
  readonly env?: Environment;
}

interface RealOptions extends MachineOptions, ServiceOptions {
  /** The headers that the connection removes, as a gateway does. */
  readonly hides?: Hidden;
}

interface ScriptedOptions extends MachineOptions {
  /** What the service answers, in turn: see {@link startFaultServer}. */
  readonly answers: readonly Behaviour[];
  /** The answers are for the reads beyond the contract, too. */
  readonly hasReads?: boolean;
}

/** Each command is a process of the built program; without it, it runs inside the test's process. */
interface Built {
  readonly built: true;
}

interface Users<Some> {
  /** What the machine's environment names. */
  readonly access: Access;
  readonly machine: Some;
  /** Another machine with the same access, and a history of its own. */
  anotherMachine(env?: Environment): Some;
}

/** The example store of the real service, behind a connection that can lose things, and a user's machine. */
export interface Scene<Some = Machine> extends Users<Some> {
  readonly service: TestService;
  readonly proxy: LossyProxy;
  readonly example: ExampleStore;
}

/** The same, where each command is a process of the built program. */
export type ProgramScene = Scene<ProgramMachine>;

/** A service that answers by a script, and a user's machine. */
export interface ScriptedScene<Some = Machine> extends Users<Some> {
  readonly server: FaultServer;
}

/** The store of a {@link ScriptedScene}, and the key to it. */
export const scriptedStore = {
  storeId: '4be5c0de-0000-4000-8000-000000000001',
  apiKey: 'any-key-of-another-service',
};

/**
 * Sets a scene: a service with a store, real or by a script, and a machine whose environment names it. All of it is gone when the
 * test has finished.
 */
export async function setScene(options: ScriptedOptions & Built): Promise<ScriptedScene<ProgramMachine>>;
export async function setScene(options: ScriptedOptions): Promise<ScriptedScene>;
export async function setScene(options: RealOptions & Built): Promise<Scene<ProgramMachine>>;
export async function setScene(options?: RealOptions): Promise<Scene>;
export async function setScene({
  env,
  built = false,
  ...options
}: (ScriptedOptions | RealOptions) & { readonly built?: boolean } = {}): Promise<
  Scene<Machine | ProgramMachine> | ScriptedScene<Machine | ProgramMachine>
> {
  const { access, ...parts } = 'answers' in options ? await startScript(options) : await startReal(options);
  const create = built ? newProgramMachine : newMachine;
  const anotherMachine = (more: Environment = {}) => create({ ...accessTo(access), ...env, ...more });
  return { ...parts, access, machine: anotherMachine(), anotherMachine };
}

async function startScript({ answers, hasReads = false }: ScriptedOptions) {
  const server = await startFaultServer(answers, { hasReads });
  onTestFinished(server.close);
  return { server, access: { origin: server.url, ...scriptedStore } };
}

async function startReal({ hides, ...options }: RealOptions) {
  const service = await startService(options);
  const proxy = await startLossyProxy(service.origin, () => 'pass', hides);
  const { storeId, apiKey, example } = service;
  return { service, proxy, example, access: { origin: proxy.origin, storeId, apiKey } };
}
