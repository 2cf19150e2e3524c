import { type Printable, printableLines } from '../../cli/core/sanitize.ts';
import { eventTypes } from '../../contract/operations/notifications.ts';
import { clientFields } from '../../contract/operations/settings.ts';

/**
 * The settings as YAML that `settings save --from-file` takes, with the events that a template can have as a comment.
 * What YAML 1.1 reads otherwise, such as `22:00`, is in quotes: other programs still do.
 */
export async function settingsYaml(settings: Readonly<Record<string, unknown>>): Promise<Printable> {
  const yaml = await import('yaml');
  const document = new yaml.Document(clientFields(settings), { compat: 'yaml-1.1' });
  yaml.visit(document, {
    Scalar(_key, node) {
      // Only quoted text can have escapes in place of characters that act on a terminal.
      if (typeof node.value === 'string' && printableLines(node.value) !== node.value)
        node.type = 'QUOTE_DOUBLE';
    },
    Pair(_key, pair) {
      if (!yaml.isScalar(pair.key) || pair.key.value !== 'templates') return;
      pair.key.commentBefore = templateComment;
      pair.key.spaceBefore = true;
    },
  });
  return printableLines(document.toString({ lineWidth: 0 }).replace(/\n$/, ''));
}

const templateComment = [' Events that a template can have:', ...inLines(eventTypes)].join('\n');

/** Names on lines of at most 76 characters, each with the blank that follows a `#`. */
function inLines(names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && `${last}, ${name}`.length < 76) lines[lines.length - 1] = `${last}, ${name}`;
    else {
      if (last !== undefined) lines[lines.length - 1] = `${last},`;
      lines.push(`   ${name}`);
    }
  }
  return lines;
}
