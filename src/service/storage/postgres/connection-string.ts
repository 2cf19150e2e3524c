import { DatabaseSetupError } from '../core/errors.ts';

/** Where a PostgreSQL database is. */
export interface ConnectionString {
  /** A URL for each server, as pg reads it. With a password, if the connection string has one. */
  readonly servers: readonly string[];
  /** For people, without the password. */
  readonly name: string;
}

type Settings = Map<string, string>;

const scheme = /^postgres(?:ql)?:\/\//i;
const pair = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s\\']|\\.)+))(?=\s|$)/gisy;

/** Names of settings that begin a keyword/value string: it always says where or what the database is. */
const leadingNames = ['host', 'hostaddr', 'dbname', 'service', 'user', 'password', 'port', 'sslmode'];

/** Whether a location is a URL or a keyword/value string (`host=… dbname=…`) rather than the name of a file. */
export function isPostgresLocation(location: string): boolean {
  const [, name = ''] = /^\s*([a-z_]+)\s*=/i.exec(location) ?? [];
  return scheme.test(location) || leadingNames.includes(name.toLowerCase());
}

/**
 * Reads a connection string as libpq does: a URL or keywords and values, with one or several servers. Throws a
 * DatabaseSetupError that does not repeat it, because it may contain a password.
 */
export function parseConnectionString(location: string): ConnectionString {
  const settings = scheme.test(location) ? readUrl(location) : readPairs(location);
  const take = (name: string) => {
    const value = settings.get(name);
    settings.delete(name);
    return value;
  };
  const attributes = take('target_session_attrs') ?? 'any';
  if (!['any', 'read-write', 'primary'].includes(attributes)) {
    throw invalid('target_session_attrs must be read-write: the service needs to write');
  }
  // These modes mean the same to pg, which prints a warning on stderr about all but the last.
  if (['prefer', 'require', 'verify-ca'].includes(settings.get('sslmode') ?? '')) {
    settings.set('sslmode', 'verify-full');
  }
  const database = take('dbname') ?? '';
  const hosts = (take('host') ?? take('hostaddr') ?? '').split(',');
  settings.delete('hostaddr');
  const ports = (take('port') ?? '').split(',');
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw invalid('the number of ports does not match the number of hosts');
  }
  const addresses = hosts.map((host, index) => {
    const port = ports.length === 1 ? ports[0] : ports[index];
    if (port && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
      throw invalid('a port must be a number up to 65535');
    return { host, port };
  });
  const user = settings.get('user');
  return {
    servers: addresses.map(({ host, port }) => {
      const query = new URLSearchParams([...settings, ...entry('host', host), ...entry('port', port)]);
      return `postgres:///${encodeURIComponent(database)}?${query.toString().replaceAll('+', '%20')}`;
    }),
    name: `postgres://${user ? `${user}@` : ''}${addresses
      .map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}${port ? `:${port}` : ''}`)
      .join(',')}/${database}`,
  };
}

function entry(name: string, value: string | undefined): [string, string][] {
  return value ? [[name, value]] : [];
}

function readUrl(url: string): Settings {
  // Not by the URL parser, which knows one host only.
  const [, authority = '', path = '', query = ''] =
    /^[a-z]+:\/\/([^/?#]*)\/?([^?#]*)\??([^#]*)$/i.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  const [user, password] = at === -1 ? [] : splitAt(authority.slice(0, at), ':');
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map(splitPort);
  const settings: Settings = new Map();
  const add = (name: string, text: string | undefined) => {
    if (text) settings.set(name, decode(text));
  };
  add('user', user);
  add('password', password);
  add('host', hosts.map(({ host }) => host).join(','));
  if (hosts.some(({ port }) => port !== '')) add('port', hosts.map(({ port }) => port || '5432').join(','));
  add('dbname', path);
  for (const [name, value] of new URLSearchParams(query)) settings.set(name, value);
  return settings;
}

function splitAt(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

/** Of `host:port`, `[::1]:port` or a host alone. */
function splitPort(text: string): { readonly host: string; readonly port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('"%" must be written as %25');
  }
}

function readPairs(text: string): Settings {
  const settings: Settings = new Map();
  pair.lastIndex = 0;
  let end = 0;
  for (let found = pair.exec(text); found !== null; found = pair.exec(text)) {
    const [, name = '', quoted, plain = ''] = found;
    settings.set(name.toLowerCase(), (quoted ?? plain).replace(/\\(.)/gs, '$1'));
    end = pair.lastIndex;
  }
  if (text.slice(end).trim() !== '') throw invalid('expected NAME=VALUE');
  return settings;
}

function invalid(reason: string): DatabaseSetupError {
  return new DatabaseSetupError(`the connection string is invalid: ${reason}`);
}
