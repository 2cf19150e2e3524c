import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createBackup } from '../../src/contract/operations/backups.ts';
import { openDispute } from '../../src/contract/operations/disputes.ts';
import type { RecordState } from '../../src/history/record/history-record.ts';
import { insert } from '../../src/service/storage/core/statement.ts';
import { effectsOf } from '../acceptance/effects.ts';
import { expectHonesty, killAtEveryStep, perform, resumeAll } from '../acceptance/kill-at-every-step.ts';
import { setScene } from '../helpers/scene.ts';
import { typed } from '../helpers/typed.ts';

const backupArgs = async (name: string) => ['backup', 'create', '--label', name, '--sections', 'store'];

test('backup create, killed at every step: resume makes the one backup, or nothing was ever sent', async () => {
  const scene = await setScene({ built: true });
  await killAtEveryStep(scene, backupArgs, async (trial) => {
    const { exitCode, records, stderr } = await resumeAll(trial);
    expect(exitCode, trial.when + stderr).toBe(0);
    expect(
      records.map(({ state }) => state),
      trial.when,
    ).toEqual(records.length === 0 ? [] : ['applied']);
    const { backups } = await effectsOf(scene.service);
    expect(
      backups.filter(({ label }) => label === trial.name),
      trial.when,
    ).toHaveLength(records.length);
    const sent = scene.proxy.requests.filter(({ body }) => body.includes(`"${trial.name}"`));
    expect(new Set(sent.map(({ bytes }) => bytes)).size, trial.when).toBe(records.length);
  });
});

test('notify add-endpoint, killed at every step: an honest unknown or never sent, never two endpoints', async () => {
  const scene = await setScene({ built: true });
  let number = 4710;
  const makeArgs = async (name: string) => {
    number += 1;
    return typed`notify add-endpoint --name ${name} --events feedback_digest
      --url https://discord.com/api/webhooks/${number}/a-token`;
  };
  const { storage, storeId } = scene.service;
  await killAtEveryStep(scene, makeArgs, async (trial) => {
    await expectHonesty(trial, async () => {
      const { endpoints } = await effectsOf(scene.service);
      return endpoints.filter(({ name }) => name === trial.name).length;
    });
    // A store has so many endpoints and no more.
    await storage
      .forStore(storeId)
      .write((db) => db.deleteFrom('endpoints').where('name', '=', trial.name).execute());
  });
});

// The first half is a `backup create` like the one above.
test('backup restore with its safety backup, killed at every step: never two of either', async () => {
  const scene = await setScene({ built: true });
  const made = new Map<string, string>();
  const makeArgs = async (name: string) => {
    const body = { label: name, sections: ['store'], idempotencyKey: randomUUID() };
    const id = await perform(scene, createBackup, body);
    made.set(name, id);
    return ['backup', 'restore', id, '--sections', 'store', '--confirm', id];
  };
  await killAtEveryStep(
    scene,
    makeArgs,
    async (trial) => {
      const { exitCode, records, stderr } = await resumeAll(trial);
      const id = made.get(trial.name) ?? '';
      const safetyLabel = `Safety: before restoring ${id}`;
      const effects = async () => {
        const { backups, restores } = await effectsOf(scene.service);
        return {
          safety: backups.filter(({ label }) => label === safetyLabel).length,
          restored: restores.filter((restored) => restored === id).length,
        };
      };
      const found = await effects();
      const restore = records.find(({ operation }) => operation === 'backup.restore');
      expect(found.safety, trial.when).toBe(records.length - (restore === undefined ? 0 : 1));
      expect(found.restored, trial.when).toBeLessThanOrEqual(found.safety);
      if (restore?.open !== true) {
        expect(exitCode, trial.when + stderr).toBe(0);
        expect(found.restored, trial.when).toBe(restore === undefined ? 0 : 1);
        return;
      }
      // A restore is never resumed as one of all: it may replace what was changed since.
      expect(exitCode, trial.when + stderr).toBe(10);
      expect(found.restored, trial.when).toBeLessThanOrEqual(1);
      const resumed = await trial.machine.run(['resume', restore.id]);
      expect(resumed.exitCode, trial.when + resumed.stderr).toBe(0);
      expect(await effects(), trial.when).toMatchObject({ restored: 1 });
    },
    (killAt, steps) => killAt > steps / 2 || killAt % 3 === 0,
  );
});

test('blog create, killed at every step: an honest unknown or never sent, never two posts', async () => {
  const scene = await setScene({ built: true });
  await killAtEveryStep(
    scene,
    async (name) => ['blog', 'create', '--title', name, '--content-md', 'Text.'],
    (trial) =>
      expectHonesty(trial, async () => {
        const { posts } = await effectsOf(scene.service);
        return posts.filter(({ title }) => title === trial.name).length;
      }),
  );
});

test('disputes open, killed at every step: resume opens the one dispute, or nothing was ever sent', async () => {
  const scene = await setScene({ built: true });
  await killAtEveryStep(
    scene,
    async (name) => ['disputes', 'open', '--reason', name],
    async (trial) => {
      const { exitCode, records } = await resumeAll(trial);
      const { disputes } = await effectsOf(scene.service);
      const effect = disputes.filter(({ reason }) => reason === trial.name).length;
      expect({ exitCode, effect }, trial.when).toEqual({ exitCode: 0, effect: records.length });
    },
  );
});

test('reclaim appeal, killed at every step: an honest unknown or never sent, never appealed twice', async () => {
  const scene = await setScene({ built: true });
  const { storage, storeId } = scene.service;
  const makeArgs = async (name: string) => {
    const id = randomUUID();
    const notice = { id, subdomain: name, reason: 'A trade mark.', status: 'noticed' };
    const times = { appealText: null, appealedAt: null, createdAt: new Date().toISOString() };
    await storage
      .forStore(storeId)
      .write((db) => insert({ db, storeId }, 'subdomainReclaims', { ...notice, ...times }));
    return ['reclaim', 'appeal', id, '--text', name, '--confirm', id];
  };
  await killAtEveryStep(scene, makeArgs, (trial) =>
    expectHonesty(trial, async () => {
      const { reclaims } = await effectsOf(scene.service);
      return reclaims.filter(({ appealText }) => appealText === trial.name).length;
    }),
  );
});

test('disputes decide, killed at every step: settled by reading, never decided twice', async () => {
  const scene = await setScene({ built: true });
  const makeArgs = async (name: string) => {
    const id = await perform(scene, openDispute, { kind: 'payment', reason: name, idempotencyKey: name });
    return ['disputes', 'decide', id, '--status', 'won', '--resolution', 'Delivered.', '--confirm', id];
  };
  await killAtEveryStep(scene, makeArgs, async (trial) => {
    const { exitCode, records, stderr } = await resumeAll(trial);
    const { decisions } = await effectsOf(scene.service);
    const effect = decisions.filter(({ disputeId }) => disputeId === trial.args[2]).length;
    const [record] = records;
    // A read can tell: applied if the change is there, unknown only while it may still arrive.
    const expected: Partial<Record<RecordState | 'none', object>> = {
      applied: { exitCode: 0, effect: 1 },
      not_sent: { exitCode: 9, effect: 0 },
      unknown: { exitCode: 10, effect: 0 },
      none: { exitCode: 0, effect: 0 },
    };
    expect({ exitCode, effect }, trial.when + stderr).toEqual(expected[record?.state ?? 'none']);
  });
});
