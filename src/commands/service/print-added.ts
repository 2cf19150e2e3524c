import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { noticeDone } from '../../cli/operation/run/print-result.ts';
import { renderRecord, rowsOf } from '../../cli/output/tables.ts';

/** Says what was added and prints it: with `--json` as JSON, with `--quiet` only its id. */
export function printAdded(context: Context, done: string, added: { readonly id: string }): void {
  const { flags, out } = context;
  noticeDone(context, done);
  if (flags.quiet) context.print(added.id);
  else if (flags.json) printJson(context, added);
  else context.print(renderRecord(rowsOf(added, { now: context.now(), currency: null }), out));
}
