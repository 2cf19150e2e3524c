/** Something that answers one method of one path. */
export interface Route {
  readonly method: string;
  /** With parameters in braces, as in the contract. */
  readonly path: string;
}

/** What is known of a path. */
export interface Match<Found extends Route> {
  /** As in the routes. */
  readonly path: string;
  /** For the Allow header. */
  readonly allow: string;
  /** Values of the parameters, in their order, decoded. */
  readonly parameters: readonly string[];
  /** Null where the method is not one of the path's. HEAD is answered as GET. */
  readonly route: Found | null;
}

/** Finds what answers a method and a path; null for a path that nobody knows. */
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
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`);
    return { path, allow, byMethod, pattern };
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

/** What is no percent-encoding stands for itself. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
