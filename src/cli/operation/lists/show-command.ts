import { kindOf, type ObjectKind } from '../../../contract/objects.ts';
import type { Operation } from '../../../contract/operation.ts';
import type { CommandDefinition } from '../../command/command-definition.ts';
import { listKnown, rememberObjects } from '../../command/known.ts';
import { isForPerson } from '../../command/lists.ts';
import type { Session } from '../../command/session.ts';
import { isOn } from '../../core/parsed-command.ts';
import { idParameter } from '../../input/path-parameter.ts';
import { describeOperation } from '../call/operation-options.ts';
import type { Result, ResultView, Run } from '../call/run.ts';
import { readInput } from '../read-input.ts';
import { expectApplied, resultOfResponse } from '../result/expect-applied.ts';
import { printDryRun, printResult } from '../result/print-result.ts';
import { askService } from '../send/ask-service.ts';
import { untilAccepted } from '../until-accepted.ts';
import { cannotBeAsked, noticeMemory, notSeen, seenOption } from './memory.ts';

/** An object of the service. If the service does not have the read, the fields that this machine has seen are shown. */
interface ServiceObject {
  readonly operation: Operation;
  readonly description: string;
  readonly examples: readonly string[];
  /** In the plural: `backups`. */
  readonly what: string;
  remember(session: Session, response: unknown): Promise<void>;
  /** The fields that this machine has seen, with `seenAt`. Null if it has not seen the object. */
  recall(run: Run): Promise<Readonly<Record<string, unknown>> | null>;
  readonly show?: ResultView['show'];
}

/** How seen objects of a kind are found. */
export function memoryOf(kind: ObjectKind): Pick<ServiceObject, 'what' | 'remember' | 'recall'> {
  return {
    what: kindOf(kind).plural,
    remember: (session, response) => rememberObjects(session, kind, [response]),
    async recall({ session, request }) {
      const wanted = request.parameters[idParameter(request.operation) ?? ''];
      const object = (await listKnown(session, kind)).find(({ id }) => id === wanted);
      return object === undefined ? null : { id: object.id, ...object.fields, seenAt: object.seenAt };
    },
  };
}

/** The command that shows an object. */
export function showCommand(object: ServiceObject): CommandDefinition {
  const { operation, description, examples, show } = object;
  const input = { operation, options: [seenOption], extraResponseFields: ['seenAt'] };
  return {
    ...describeOperation(input),
    description,
    examples,
    async run(call) {
      const run = await readInput(call, input);
      if (call.session.flags.dryRun) return printDryRun(run);
      const result = await untilAccepted(run, () => read(run, object));
      return printResult(run, show === undefined ? {} : { show }, result);
    },
  };
}

async function read(run: Run, { what, remember, recall }: ServiceObject): Promise<Result> {
  const { ui, session, target, parsed, request } = run;
  if (!isOn(parsed, seenOption.flag)) {
    const outcome = await askService(session, target, request);
    if (outcome !== null) {
      const applied = expectApplied(run, outcome, null);
      await remember(session, applied.body);
      return resultOfResponse(applied, null);
    }
    if (!isForPerson(ui)) throw cannotBeAsked('show', what);
  }
  const response = await recall(run);
  if (response === null) throw notSeen(what);
  if (!isOn(parsed, seenOption.flag)) noticeMemory(ui, 'show', what);
  return { response, text: JSON.stringify(response), etag: null, record: null };
}
