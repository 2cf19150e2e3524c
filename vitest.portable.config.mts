import { defineConfig } from 'vitest/config';

// Tests that start no other program and need no modes of files, for macOS and Windows: requests, responses, the rules of the
// service on its embedded engine, the library, and what is typed. `.ci/run` runs them without any program on the PATH.
export default defineConfig({
  test: {
    include: ['base', 'client', 'contract', 'library', 'cli/input', 'service/{http,model,operations}'].map(
      (folder) => `test/${folder}/**/*.test.ts`,
    ),
    // Other processes, a private authority, /dev/stdin, and a PostgreSQL server.
    exclude: [
      'test/base/files/lock.test.ts',
      'test/client/tls.test.ts',
      'test/cli/input/request-body.test.ts',
      'test/service/operations/random-sequences.test.ts',
    ],
    maxWorkers: 4,
    testTimeout: 300_000,
    isolate: false,
  },
});
