import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { startConnectProxy } from '../helpers/connect-proxy.ts';
import { createPrivateCa } from '../helpers/private-ca.ts';
import { programMachineFor } from '../helpers/program.ts';
import { startService } from '../helpers/service.ts';

/** The real service behind TLS as store.test, a name that only the proxy knows. */
async function serveOverTls() {
  const service = await startService();
  const ca = await createPrivateCa();
  const server = createServer(await ca.issue('store.test'), (socket) => {
    const inner = connect(Number(new URL(service.origin).port), '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
  });
  // What a client without trust leaves behind is not the test's error.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await startConnectProxy({ 'store.test': port, 'other.test': port });
  const machineWith = (env: Record<string, string>, origin = 'https://store.test') =>
    programMachineFor({ ...service, origin }, env);
  return { service, ca, proxy, port, machineWith };
}

const backup = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '--json'];

test('through HTTPS_PROXY to a service of a private authority that NODE_EXTRA_CA_CERTS names', async () => {
  const { ca, proxy, machineWith } = await serveOverTls();
  const address = proxy.url.replace('://', '://ci:p%40ss@');
  const machine = machineWith({ HTTPS_PROXY: address, NODE_EXTRA_CA_CERTS: ca.file });

  const result = await machine.run(backup);

  expect(result).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(result.stdout)).toMatchObject({ label: 'nightly', sections: ['store'] });
  expect(proxy.tunnels).toEqual(['store.test:443']);
  expect(proxy.authorizations).toEqual([`Basic ${btoa('ci:p@ss')}`]);

  const doctor = await machine.run(['doctor', '--json']);
  expect(doctor).toMatchObject({ exitCode: 0 });
  expect(accessIn(doctor)).toMatchObject({ status: 'ok' });
  expect(doctor.stdout).not.toContain('p%40ss');
});

test('a certificate that is not trusted: exit 9, nothing sent, and the message says what to set', async () => {
  const { proxy, machineWith } = await serveOverTls();
  const machine = machineWith({ HTTPS_PROXY: proxy.url });

  const result = await machine.run(backup.slice(0, -1));

  expect(result.exitCode).toBe(9);
  expect(result.stderr).toContain('the certificate of store.test is not trusted');
  expect(result.stderr).toContain('set NODE_EXTRA_CA_CERTS to its certificate file');
  expect(result.stderr).toContain('nothing was sent');
  // Trying again would not help.
  expect(proxy.tunnels).toHaveLength(1);

  const doctor = await machine.run(['doctor', '--json']);
  expect(doctor.exitCode).toBe(9);
  expect(accessIn(doctor)?.status).toMatch(/failed|not checked/);
  expect(doctor.stderr).toContain('NODE_EXTRA_CA_CERTS');
});

test('a trusted certificate for another name is refused, and no other authority is advised', async () => {
  const { ca, proxy, machineWith } = await serveOverTls();
  const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: ca.file };
  const result = await machineWith(env, 'https://other.test').run(backup);

  expect(result.exitCode).toBe(9);
  expect(result.stderr).toContain('it is for another host: check the base URL');
  expect(result.stderr).not.toContain('NODE_EXTRA_CA_CERTS');
});

test('an HTTPS_PROXY that is no URL: exit 2 that names it', async () => {
  const { machineWith } = await serveOverTls();
  const machine = machineWith({
    HTTPS_PROXY: 'socks5://127.0.0.1:1',
  });

  const result = await machine.run(backup);

  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain('HTTPS_PROXY must be an http or https URL');
  const login = await machine.run(['auth', 'login', '--with-key'], { stdin: { text: 'a-key' } });
  expect(login).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('HTTPS_PROXY must be') });
  const doctor = await machine.run(['doctor', '--json']);
  expect(accessIn(doctor)?.status).toMatch(/failed|not checked/);
  expect(doctor.exitCode).toBe(2);
});

interface Found {
  readonly check: string;
  readonly status: string;
  readonly message: string;
}

function accessIn({ stdout }: { readonly stdout: string }): Found | undefined {
  const findings: Found[] = JSON.parse(stdout);
  return findings.find(({ check }) => check === 'access');
}

test('over TLS, a 413 that comes before the request is sent is a refusal', async () => {
  const ca = await createPrivateCa();
  const head = 'HTTP/1.1 413 X\r\ncontent-type: application/json\r\nconnection: close\r\n';
  const body = '{"code":"too_large","message":"too large"}';
  const server = createServer(await ca.issue('localhost'), (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.pause();
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`, () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const machine = programMachineFor(
    { origin: `https://localhost:${port}`, storeId: 's1', apiKey: 'a-key' },
    { NODE_EXTRA_CA_CERTS: ca.file },
  );
  const post = { title: 'Long', contentMd: 'x'.repeat(8_000_000) };

  const args = ['api', 'POST', '/v1/stores/{store}/blog/posts', '--input', '-', '--json'];
  const result = await machine.run(args, { stdin: { text: JSON.stringify(post) } });

  expect(result.exitCode).toBe(7);
  expect(JSON.parse(result.stderr.split('\n').at(-2) ?? '')).toMatchObject({
    error: { code: 'too_large', outcome: 'rejected', status: 413 },
  });
});
