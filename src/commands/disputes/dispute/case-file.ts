import { asObject, isObject } from '../../../base/json.ts';
import { joined, line, type Printable, printableLines } from '../../../cli/core/sanitize.ts';
import { formatValue } from '../../../cli/output/format-value.ts';
import { fieldsForPrograms, labelOf, type Tone, toneOf } from '../../../cli/output/labels.ts';
import type { Style } from '../../../cli/output/style.ts';
import { indented, type Row, renderIndented, renderRecord, rowsOf } from '../../../cli/output/tables.ts';
import { wrapText } from '../../../cli/output/wrap.ts';
import { describeTimeline } from './timeline.ts';

/** Fields at the top of the case file, in this order. */
const headFields: readonly string[] = [
  'status',
  'resolution',
  'deadlineAt',
  'appealDeadlineAt',
  'kind',
  'orderId',
  'buyerEmail',
  'providerCaseId',
  'createdAt',
  'updatedAt',
];

const deadlines = ['deadlineAt', 'appealDeadlineAt'];

/** Fields that have their own place in the case file. The rest is listed under "Other fields". */
const placed: readonly string[] = ['id', 'reason', 'riskSignals', ...headFields, ...fieldsForPrograms];

const hourMs = 3_600_000;

/**
 * A dispute as a case file: status and deadlines, reason, risk signals, evidence, and any other fields that the service
 * sent. Wrapped in a terminal only.
 */
export function describeDispute(response: unknown, out: Style, now = Date.now()): Printable {
  const { record, evidence, ...rest } = asObject(response);
  const dispute = asObject(record);
  const others = Object.entries(dispute).filter(([name]) => !placed.includes(name));
  const sections = [
    joined(
      [out.color.bold(line`Dispute ${textOf(dispute.id) || '(without an id)'}`), head(dispute, now, out)],
      '\n',
    ),
    describeTimeline(dispute, now, out),
    section('Reason', paragraph(dispute.reason, out), out),
    section('Risk signals', fieldLines(dispute.riskSignals, now, out), out),
    describeEvidence(evidence, now, out),
    section('Other fields', fieldLines({ ...Object.fromEntries(others), ...rest }, now, out), out),
  ];
  return joined(
    sections.filter((text) => text !== ''),
    '\n\n',
  );
}

function head(dispute: Record<string, unknown>, now: number, style: Style): Printable {
  const isOpen = dispute.status === 'open';
  const rows = headFields.flatMap((name): Row[] => {
    const value = dispute[name];
    if (value === null || value === undefined) return [];
    const label = labelOf([name]);
    const text = formatValue(name, value, { now });
    if (!isOpen || !deadlines.includes(name))
      return [[label, text, toneOf(name === 'status' ? name : '', value, now)]];
    return [[label, ...withUrgency(text, value, now)]];
  });
  return renderRecord(rows, style);
}

/** Adds a warning, in words and color, to a deadline that is near or has passed. */
function withUrgency(text: string, value: unknown, now: number): readonly [text: string, tone?: Tone] {
  const left = Date.parse(String(value)) - now;
  if (left <= 0) return [`${text} – overdue`, 'red'];
  if (left < 24 * hourMs) return [`${text} – urgent, less than 24 hours left`, 'red'];
  if (left < 72 * hourMs) return [`${text} – soon, less than 72 hours left`, 'yellow'];
  return [text];
}

function describeEvidence(evidence: unknown, now: number, style: Style): Printable {
  const items = Array.isArray(evidence) ? evidence : [];
  if (items.length === 0) return line`No evidence.`;
  const described = items.map((item, index) => evidenceItem(item, index + 1, now, style));
  return joined([style.color.bold(line`Evidence (${items.length})`), ...described], '\n\n');
}

function evidenceItem(item: unknown, number: number, now: number, style: Style): Printable {
  // No command takes its id.
  const { id: _, label, kind, textValue, ...others } = isObject(item) ? item : { value: item };
  const title = [textOf(label), textOf(kind) && `[${textOf(kind)}]`].filter(Boolean).join(' ');
  const fields = fieldLines(others, now, style);
  const text = paragraph(textValue, style);
  const parts = [
    style.color.bold(line`${number}. ${title || '(no label)'}`),
    ...(fields === '' ? [] : [fields]),
    ...(text === '' ? [] : [line``, text]),
  ];
  return joined(parts, '\n');
}

/** Fields as an indented record. Lists of objects are shown as JSON, so that nothing is hidden. */
function fieldLines(fields: unknown, now: number, style: Style): Printable {
  if (!isObject(fields)) return paragraph(fields, style);
  const rows = Object.entries(fields).flatMap(([name, value]): Row[] =>
    Array.isArray(value) && value.some(isObject)
      ? [[labelOf([name]), JSON.stringify(value)]]
      : rowsOf({ [name]: value }, { now }),
  );
  return renderIndented(rows, style);
}

function section(title: string, text: Printable, { color }: Style): Printable {
  return text === '' ? text : joined([color.bold(line`${title}`), text], '\n');
}

/** A text, wrapped and indented. */
function paragraph(value: unknown, { width }: Style): Printable {
  const text = indented(printableLines(textOf(value).trimEnd()));
  return width === null ? text : wrapText(text, width);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
