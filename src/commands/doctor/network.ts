import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { Environment } from '../../cli/core/io.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { isLoopbackHost } from '../../client/base-url.ts';
import { openSocket, reasonOf, WireError } from '../../client/wire/connect.ts';
import { chooseProxy, portOf } from '../../client/wire/proxy.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export interface NetworkOptions {
  readonly env: Environment;
  /** For each step. */
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Checks proxy, name, connection and TLS to `url`, one after the other until one fails. Sends no request, and so no key.
 */
export async function checkNetwork(url: URL, options: NetworkOptions): Promise<Finding[]> {
  const { env, timeoutMs } = options;
  let proxy: URL | null;
  try {
    proxy = chooseProxy(env, url);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [problem('proxy', message, 'fix it or unset it', exitCodes.usage)];
  }
  const findings = [describeProxy(url, proxy, env)];
  const first = proxy ?? url;
  const address = await checkName(first, timeoutMs);
  findings.push(address);
  if (address.status === 'problem') return findings;
  const connection = await checkTcp(first, timeoutMs);
  findings.push(connection);
  if (connection.status === 'problem' || url.protocol === 'http:') return findings;
  const tls = await checkTls(url, proxy, options);
  return [...findings.filter(({ check }) => check !== tls.check), tls];
}

function describeProxy(url: URL, proxy: URL | null, env: Environment): Finding {
  const name = env.https_proxy ? 'https_proxy' : 'HTTPS_PROXY';
  const exempt = env.no_proxy ? 'no_proxy' : 'NO_PROXY';
  // The proxy's URL may hold a password.
  if (proxy !== null)
    return ok('proxy', `${proxy.host} (from ${name}); ${exempt} does not exempt ${url.host}`);
  if (isLoopbackHost(url.hostname)) return ok('proxy', 'none: loopback addresses never use a proxy');
  if (env[name]) return ok('proxy', `none: ${exempt} exempts ${url.host} from ${name}`);
  const plain =
    env.http_proxy || env.HTTP_PROXY ? '; HTTP_PROXY is for plain http and has no effect here' : '';
  return ok('proxy', `none${plain}`);
}

async function checkName(url: URL, timeoutMs: number): Promise<Finding> {
  const host = hostWithoutBrackets(url);
  if (isIP(host) !== 0) return ok('dns', `${host} is an IP address`);
  try {
    const addresses = await withTimeout(lookup(host, { all: true }), timeoutMs);
    return ok('dns', `${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : String(error);
    return problem(
      'dns',
      `cannot resolve ${host} (${reason})`,
      'check its spelling and the network; if you need a proxy, set HTTPS_PROXY',
      exitCodes.notApplied,
    );
  }
}

async function checkTcp(url: URL, timeoutMs: number): Promise<Finding> {
  const place = `${url.hostname}:${portOf(url)}`;
  const socket = connect({ host: hostWithoutBrackets(url), port: portOf(url) });
  try {
    await withTimeout(
      new Promise<void>((resolve, reject) => {
        socket.once('connect', resolve);
        socket.on('error', reject);
      }),
      timeoutMs,
    );
    return ok('connection', `${place} accepts connections`);
  } catch (error) {
    const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
    const reason = causes.find((cause) => cause instanceof Error);
    return problem(
      'connection',
      `cannot connect to ${place} (${reason ? reasonOf(reason) : String(error)})`,
      'check the base URL, the port and the firewall',
      exitCodes.notApplied,
    );
  } finally {
    socket.destroy();
  }
}

const dayMs = 86_400_000;

async function checkTls(url: URL, proxy: URL | null, { timeoutMs, now }: NetworkOptions): Promise<Finding> {
  try {
    const socket = await openSocket(url, proxy, AbortSignal.timeout(timeoutMs));
    const isTls = socket instanceof TLSSocket;
    const protocol = isTls ? socket.getProtocol() : null;
    const until = isTls ? Date.parse(socket.getPeerCertificate().valid_to) : Number.NaN;
    socket.destroy();
    const message = `${protocol ?? 'TLS'}, certificate of ${url.hostname} is trusted, expires ${formatDistance(until - now)}`;
    if (until - now > 14 * dayMs) return ok('tls', message);
    return warning('tls', message, 'ask the operator of the service to renew it');
  } catch (error) {
    const failure =
      error instanceof WireError
        ? error.failure
        : { code: 'timeout', message: `timed out connecting to ${url.host} with TLS` };
    const check = failure.code === 'proxy_failed' ? 'proxy' : 'tls';
    return problem(check, failure.message, tlsFix(failure.code), exitCodes.notApplied);
  }
}

function tlsFix(code: string): string {
  if (code === 'certificate_untrusted') {
    return 'for your own certificate authority, export NODE_EXTRA_CA_CERTS=/path/to/ca.pem; otherwise do not use this service';
  }
  if (code === 'proxy_failed')
    return 'check HTTPS_PROXY, its user name and password, and which hosts it allows';
  return 'check the port, and whether you need a proxy (HTTPS_PROXY)';
}

function withTimeout<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function hostWithoutBrackets(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
