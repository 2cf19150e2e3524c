import { type Field, indexFields, type PostProblem, ProblemInFile } from './fields.ts';
import { FrontMatterError, splitFile } from './front-matter.ts';
import { findLeftInText, type LeftInText } from './left-in-text.ts';
import { findBodyProblem } from './limits.ts';
import { type MappedFields, type Mapping, mapFields, slugFor } from './map-fields.ts';
import { firstHeading, titleOfFile } from './title.ts';

/** A post as a file has it. */
export interface Post {
  /** The request. Incomplete if there is a problem. */
  readonly body: Record<string, unknown>;
  /** What identifies the post; null if nothing gives one. */
  readonly slug: string | null;
  /** Names of fields that stay behind. */
  readonly leftOut: readonly string[];
  /** It has a date, and becomes a draft, which has none. */
  readonly losesDate: boolean;
  /** What in the file makes it a draft, where it is not called one; or null. */
  readonly privateBy: string | null;
  /** Nothing stands in it but front matter. */
  readonly isEmpty: boolean;
  /** It has front matter. */
  readonly hasFields: boolean;
  /** What a blog program would replace in its text. */
  readonly leftInText: LeftInText;
  /** Why it cannot be sent, or null. */
  readonly problem: PostProblem | null;
}

/** A post in a file. */
export interface ReadFile extends Post {
  /** As the user named it. */
  readonly file: string;
}

/** Reads a post from the text of a file; `file` is its absolute path, null for standard input and for the editor. */
export async function readPost(text: string, file: string | null, mapping: Mapping): Promise<Post> {
  let slug = '';
  let isEmpty = false;
  let hasFields = false;
  try {
    const { content, contentLine, ...split } = await splitFile(text);
    hasFields = split.fields.length > 0;
    const index = indexFields(split.fields);
    slug = slugFor(index, file, mapping);
    isEmpty = content.trim() === '' && mapping.common.contentMd === undefined;
    const mapped = mapFields(index, file, mapping);
    const body: Record<string, unknown> = { contentMd: content, ...mapped.body };
    const title = body.title ?? firstHeading(content) ?? (file && titleOfFile(file));
    const found = mapped.problem?.problem ?? null;
    if (isEmpty && file === null)
      throw new ProblemInFile({ line: null, field: null, reason: 'the content is empty' });
    if (title) body.title = title;
    else throw new ProblemInFile({ line: contentLine, field: 'title', reason: noTitle });
    if (slug === '' && file !== null)
      throw new ProblemInFile({
        line: null,
        field: 'slug',
        reason: 'cannot be made from the file name: set slug in the front matter',
      });
    return {
      ...describeMapped(mapped),
      body,
      slug: slug || null,
      isEmpty,
      hasFields,
      leftInText: findLeftInText(String(body.contentMd)),
      problem: found ?? problemOfBody(body, split.fields, mapping),
    };
  } catch (error) {
    return { ...unreadPost(problemOfError(error)), slug: slug || null, isEmpty, hasFields };
  }
}

/** What is known of a post that could not be read. */
export function unreadPost(problem: PostProblem): Post {
  return {
    body: {},
    slug: null,
    leftOut: [],
    losesDate: false,
    privateBy: null,
    isEmpty: false,
    hasFields: false,
    leftInText: { template: null, image: null },
    problem,
  };
}

const noTitle = 'is missing: set it in the front matter or as a first heading "# …"';

function describeMapped({ leftOut, losesDate, privateBy }: MappedFields) {
  return { leftOut, losesDate, privateBy };
}

export function problemOfError(error: unknown): PostProblem {
  if (error instanceof ProblemInFile) return error.problem;
  if (!(error instanceof FrontMatterError)) throw error;
  return { line: error.line, field: null, reason: error.message };
}

/** The fields of a post as it left the editor, where it may still lack some. Throws a ProblemInFile or FrontMatterError. */
export async function readEdited(text: string): Promise<Record<string, unknown>> {
  const { fields, content } = await splitFile(text);
  const { body } = mapFields(indexFields(fields), null, {
    now: Date.now(),
    timeZone: 'UTC',
    slugPrefix: '',
    send: 'unknown',
    leaveOut: [],
    common: {},
  });
  const title = body.title ?? firstHeading(content);
  return { ...body, ...(title === null ? {} : { title }), contentMd: content };
}

function problemOfBody(
  body: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
  { send, common }: Mapping,
): PostProblem | null {
  const isGiven = (name: string) =>
    name in common || (send !== 'unknown' && send.some((one) => one.toLowerCase() === name.toLowerCase()));
  const found = findBodyProblem(body, isGiven);
  if (found === null) return null;
  const { field, reason } = found;
  const line = fields.find(({ name }) => name.toLowerCase() === field.toLowerCase())?.line ?? null;
  return { line, field, reason };
}

/** The Markdown file of a post: the fields as front matter, then the content. */
export async function renderPost(fields: Readonly<Record<string, unknown>>): Promise<string> {
  const { contentMd = '', ...others } = fields;
  const { stringify } = await import('yaml');
  const head = Object.keys(others).length === 0 ? 'title:\n' : stringify(others, { lineWidth: 0 });
  return `---\n${head}---\n\n${String(contentMd)}`;
}
