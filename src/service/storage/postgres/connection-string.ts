import { DatabaseSetupError } from '../core/errors.ts';

/** Where a PostgreSQL database is. */
export interface ConnectionString {
  /** As pg reads it. With a password, if the connection string has one. */
  readonly url: string;
  /** For people, without the password. */
  readonly name: string;
}

const parts = /^postgres(?:ql)?:\/\/([^/?#]*)\/?([^?#]*)\??([^#]*)$/i;

/** Names that begin the keywords and values which libpq takes as well. */
const keywords = /^\s*(?:host|hostaddr|dbname|service|user|password|port|sslmode)\s*=/i;

/** Whether a location is meant for PostgreSQL rather than the name of a file. */
export function isPostgresLocation(location: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(location) || keywords.test(location);
}

/** Reads a URL. Throws a DatabaseSetupError that does not repeat it, because it may contain a password. */
export function parseConnectionString(location: string): ConnectionString {
  const [, authority, database = '', query = ''] = parts.exec(location) ?? [];
  if (authority === undefined) throw invalid('write it as postgres://USER@HOST:PORT/DATABASE');
  const at = authority.lastIndexOf('@');
  const credentials = at === -1 ? '' : authority.slice(0, at);
  const settings = new URLSearchParams(query);
  const address = authority.slice(at + 1) || settings.get('host') || '';
  const port = settings.get('port') ?? '';
  if (`${address}${port}`.includes(',')) {
    throw invalid(
      'it names several hosts. Name one: the address of a proxy or pooler that follows the primary',
    );
  }
  const [, host = '', ownPort = port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(address) ?? [];
  if (ownPort !== '' && !(/^\d{1,5}$/.test(ownPort) && Number(ownPort) <= 65_535)) {
    throw invalid('a port must be a number up to 65535');
  }
  if (/%(?![0-9a-f]{2})/i.test(credentials + database)) throw invalid('"%" must be written as %25');
  // To pg these modes mean the same, and it prints a warning on stderr about all but the last.
  if (['prefer', 'require', 'verify-ca'].includes(settings.get('sslmode') ?? '')) {
    settings.set('sslmode', 'verify-full');
  }
  const user = (credentials.split(':')[0] ?? '') || (settings.get('user') ?? '');
  const rest = settings.size === 0 ? '' : `?${settings.toString().replaceAll('+', '%20')}`;
  return {
    url: `postgres://${authority}/${database}${rest}`,
    name: `postgres://${user && `${user}@`}${host}${ownPort && `:${ownPort}`}/${database}`,
  };
}

function invalid(reason: string): DatabaseSetupError {
  return new DatabaseSetupError(`the connection string is invalid: ${reason}`);
}
