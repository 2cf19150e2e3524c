import { showPlan } from '../../../cli/batch/show-plan.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { cancelledError } from '../../../cli/core/errors.ts';
import { line, printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { deriveFlags } from '../../../cli/input/field-flags.ts';
import { askInto } from '../../../cli/operation/questions/ask-missing.ts';
import { formatDistance } from '../../../cli/output/format-value.ts';
import { askChoice } from '../../../cli/prompts/prompts.ts';
import { askAll, type Question, withKeysExplained } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { KnownObject } from '../../../history/objects/known-objects.ts';
import { type Decision, remarkOn } from '../dispute/dispute-status.ts';
import { disputeWords } from './rows.ts';

/** The fields of a decision: its status, then its resolution. */
export const decisionFields = deriveFlags(decideDispute.body, {
  fileFlags: { resolution: 'resolution-file' },
});

/** Of a dispute that was not read yet, only the id may be known. */
export type Planned = Pick<KnownObject, 'id'> & Partial<Pick<KnownObject, 'fields'>>;

const noPlan = { value: '#none', name: 'No plan: decide them one by one' };

/**
 * Asks what is planned for most of the disputes, and shows all of them with the plan, before the first is decided. Each is shown
 * with its evidence later; what is planned takes one key then. Null for no plan.
 */
export async function askPlan(ui: Ui, disputes: readonly Planned[]): Promise<Decision | null> {
  const body: Record<string, unknown> = {};
  const hasPlan = () => body.status !== noPlan.value;
  let isAgreed = false;
  const ask =
    (path: keyof Decision): Question =>
    async () => {
      const field = decisionFields.find((one) => one.path[0] === path);
      const actions = path === 'status' ? [noPlan] : [];
      if (field !== undefined) await askInto(ui, body, field, { actions });
    };
  const review: Question = async () => {
    showDisputes(ui, disputes, hasPlan() ? decisionOf(body) : null);
    const answer = await askChoice(ui.io, reviewQuestion(disputes.length), [
      { value: 'yes', name: 'Yes, show the first one' },
      { value: 'edit', name: 'Change the plan' },
      { value: 'no', name: 'No, cancel' },
    ]);
    if (answer === 'no') throw cancelledError();
    isAgreed = answer === 'yes';
  };
  const questions = withKeysExplained(ui, () => [
    ask('status'),
    ...(hasPlan() ? [ask('resolution')] : []),
    review,
  ]);
  ui.notice(
    line`Plan one decision for most of these ${disputes.length} disputes. Nothing is decided yet: you confirm or change it for each.`,
  );
  while (!isAgreed) await askAll(questions);
  return hasPlan() ? decisionOf(body) : null;
}

const reviewQuestion = (count: number) => `Go through these ${count} disputes, one by one?`;

function decisionOf(body: Readonly<Record<string, unknown>>): Decision {
  return { status: String(body.status), resolution: String(body.resolution) };
}

/** All of them, once, with what is planned. */
function showDisputes(ui: Ui, disputes: readonly Planned[], plan: Decision | null): void {
  const count = String(disputes.length);
  const remark = plan === null ? null : remarkOn(plan.status);
  showPlan(ui, {
    words: disputeWords,
    known: [],
    header: ['', 'DISPUTE', 'DUE', 'BUYER', 'REASON'],
    fits: [undefined, undefined, undefined, 'cut end', 'cut end'],
    rows: disputes.map(({ id, fields = {} }, index) => [
      String(index + 1).padStart(count.length),
      id.slice(0, 13),
      dueOf(fields),
      textOf(fields.buyerEmail),
      textOf(fields.reason),
    ]),
    counts: [
      plan === null
        ? `${count} disputes; you are asked for the decision on each`
        : `${count} disputes, planned as ${printable(plan.status)}: ${printableInOneLine(plan.resolution)}`,
    ],
    notes: [
      ...(remark === null ? [] : [`Warning: ${remark}.`]),
      plan === null
        ? 'Each is shown with its evidence. You confirm each decision with the id of the dispute.'
        : 'Each is shown with its evidence. One key decides it as planned; you confirm any other decision with the id of the dispute.',
    ],
  });
}

function dueOf({ deadlineAt }: KnownObject['fields']): string {
  const left = Date.parse(String(deadlineAt)) - Date.now();
  return Number.isNaN(left) ? '-' : formatDistance(left);
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value.trim() !== '' ? printableInOneLine(value) : '-';
}
