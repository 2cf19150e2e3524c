import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  /** Below the root, with slashes: `src/cli/main.ts`. */
  readonly file: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** A path below the root for a file of ours, else the name of a package or built-in module. */
  readonly target: string;
  /** Loaded together with the importer: neither `import()` nor types alone. */
  readonly loaded: boolean;
}

/** Every TypeScript file below `folder`, a path below `root` such as `src`. */
export function readSources(root: string, folder: string): SourceFile[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({
      file: `${folder}/${file.replaceAll('\\', '/')}`,
      text: readFileSync(path.join(root, folder, file), 'utf8'),
    }));
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** What a file imports, types and `import()` included. */
export function importsOf({ file, text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const statements = code.matchAll(
    /^\s*(?:import|export)\s+(?<what>type\s[^;'"]*?from\s*|[^;'"()]*?from\s*|)(['"])(?<name>[^'"]+)\2/gm,
  );
  const calls = code.matchAll(/\b(?:import|require)\(\s*(['"`])(?<name>[^'"`]+)\1/g);
  return [
    ...[...statements].map(({ groups }) => ({
      name: groups?.name ?? '',
      loaded: !/^type\s/.test(groups?.what ?? '') && !/^\{(\s*type\s[^,}]+,?)+\s*\}/.test(groups?.what ?? ''),
    })),
    ...[...calls].map(({ groups }) => ({ name: groups?.name ?? '', loaded: false })),
  ].map(({ name, loaded }) => ({
    from: file,
    target: name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name,
    loaded,
  }));
}

/**
 * The circles of a graph: each group of nodes that all lead to each other (Tarjan's strongly connected components with
 * more than one node). Nodes that only appear as targets have no edges.
 */
export function circlesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    let low = index;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!indexes.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next))
        low = Math.min(low, lowest.get(next) ?? index, indexes.get(next) ?? index);
    }
    lowest.set(node, low);
    if (low === index) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) circles.push(group.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return circles;
}
