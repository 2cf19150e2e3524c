import type { CommandCall, CommandDefinition, CommandResult } from '../../cli/command/command-definition.ts';
import { usageError } from '../../cli/core/errors.ts';
import { textAt } from '../../cli/core/field-path.ts';
import { advancedGroup } from '../../cli/core/option-spec.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { yourText } from '../../cli/core/sanitize.ts';
import { deriveFlags } from '../../cli/input/field-flags.ts';
import { checkBody, readBody } from '../../cli/input/request-body.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { outputFileOption } from '../../cli/output/output-file.ts';
import { createBlogPost } from '../../contract/operations/blog.ts';

const edit = '--edit';
const allowDuplicate = '--allow-duplicate';

const hints = { fileFlags: { contentMd: 'content-file' } };
const fields = deriveFlags(createBlogPost.body, hints);

/** The command of one post. `edited` are its fields as they left the editor, or null. */
const onePost = (edited: Readonly<Record<string, unknown>> | null) =>
  operationCommand({
    operation: createBlogPost,
    description: `Create blog posts from Markdown files with YAML front matter (title, slug, status, tags…; the service may refuse
other keys), or one post from flags. A post without a status becomes a draft. Run the same command again to continue: no post is
created twice.`,
    details: `Front matter between lines of --- sets the fields (title, slug, excerpt, tags, status, scheduledAt, …); the rest
is the content. If it has no title, the first heading "# …" becomes the title and stays in the content. The slug defaults to
the name of the file. Flags override front matter. The exit code is the most severe one of all files. From flags, creating the
same post again within 24 hours is an error unless ${allowDuplicate} is given.`,
    question: ({ body }) =>
      body?.status === undefined ? 'Create this post as a draft?' : 'Create this post?',
    arguments: [
      {
        name: 'file',
        description:
          'Markdown with front matter (else the first heading is the title, and the file name the slug); - for standard input',
        variadic: true,
        optional: true,
      },
    ],
    options: [
      { flag: edit, description: 'Open the post in $VISUAL or $EDITOR before sending', group: 'Input:' },
      { flag: allowDuplicate, description: 'Create it even if it was created before', group: advancedGroup },
    ],
    examples: [
      'blog create post.md',
      'blog create posts/*.md --status published',
      'blog create post.md --edit',
      'blog create --title "Spring sale" --content-file post.md',
      'blog create --title Sale --content-md "All inks **20 %** off." --tags ink',
      'blog create --title Notes --content-file - < notes.md',
    ],
    defaults: edited ?? {},
    toolNote: 'The same post within 24 hours is refused.',
    hints,
    isReviewed: edited !== null,
    done: ({ answer }, { request }) => {
      const status = textAt(answer, ['status']);
      return `Created post "${String(request.body?.title)}"${status === null ? '' : ` (${status})`}`;
    },
    allowDuplicate,
  });

const definition = onePost(null);

export const command: CommandDefinition = {
  ...definition,
  async run(call) {
    const { ui, session, parsed } = call;
    const patterns = parsed.arguments.file ?? [];
    const isEdited = isOn(parsed, edit);
    if (patterns.length === 0 && !isEdited) return definition.run(call);
    const { expandFiles } = await import('./bulk/post-files.ts');
    const files = expandFiles(patterns, session.io.cwd);
    if (!isEdited) {
      const { createPosts } = await import('./bulk/create-posts.ts');
      return createPosts(ui, session, parsed, {
        fields,
        files,
        allowsDuplicates: isOn(parsed, allowDuplicate),
      });
    }
    if (files.length > 1) throw usageError(`${edit} needs exactly one file (got ${files.length})`);
    return createEdited(call, files[0]);
  },
};

async function createEdited(call: CommandCall, file: string | undefined): Promise<CommandResult | undefined> {
  const { ui, session, parsed } = call;
  const { readDraft } = await import('./bulk/post-files.ts');
  const { editPost } = await import('./bulk/edit-post.ts');
  const { body: given } = await readBody(session, createBlogPost, fields, parsed);
  checkBody(createBlogPost, fields, given);
  const draft = file === undefined ? given : (await readDraft(session, file, given)).body;
  const edited = await editPost(ui, draft);
  try {
    // The post already contains the values of the flags, perhaps changed in the editor.
    const kept = [...parsed.options].filter(([flag]) =>
      [allowDuplicate, outputFileOption.flag].includes(flag),
    );
    return await onePost(edited.fields).run({ ...call, parsed: { ...parsed, options: new Map(kept) } });
  } catch (error) {
    ui.saveUserText(yourText(edited.text));
    throw error;
  }
}
