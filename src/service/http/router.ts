import { patternOfPath } from '../../contract/operation.ts';

/** One method of one path. */
export interface Route {
  readonly method: string;
  /** With parameters in braces, as in the contract. */
  readonly path: string;
}

/** A path that exists. */
export interface Match<Found extends Route> {
  /** As in the routes. */
  readonly path: string;
  /** For the Allow header. */
  readonly allow: string;
  /** Decoded values of the parameters, in order. */
  readonly parameters: readonly string[];
  /** Null if the path does not have the method. HEAD has the route of GET. */
  readonly route: Found | null;
}

/** Finds the route of a method and a path, null for an unknown path. */
export function createRouter<Found extends Route>(
  routes: readonly Found[],
): (method: string, path: string) => Match<Found> | null {
  const paths = [...new Set(routes.map(({ path }) => path))].map((path) => {
    const byMethod = new Map(
      routes.filter((route) => route.path === path).map((route) => [route.method, route]),
    );
    const get = byMethod.get('GET');
    const allow = [...byMethod.keys(), ...(get === undefined ? [] : ['HEAD']), 'OPTIONS'].join(', ');
    if (get !== undefined) byMethod.set('HEAD', get);
    return { path, allow, byMethod, pattern: patternOfPath(path) };
  });
  return (method, asked) => {
    for (const { path, allow, byMethod, pattern } of paths) {
      const found = pattern.exec(asked);
      if (found === null) continue;
      const parameters = found.slice(1).map(decode);
      return { path, allow, parameters, route: byMethod.get(method) ?? null };
    }
    return null;
  };
}

/** A text that is not valid percent-encoding stays as it is. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
