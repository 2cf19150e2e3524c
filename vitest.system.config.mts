import { defineConfig } from 'vitest/config';

// Tests that need more of a system than a shell: less, zsh, fish, groff, nginx, pgbouncer and chromium. `.ci/run` installs them.
export default defineConfig({
  test: { include: ['test/system/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 300_000 },
});
