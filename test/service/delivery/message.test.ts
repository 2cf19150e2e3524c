import { expect, test } from 'vitest';
import { buildMessage, type MessageSource } from '../../../src/service/delivery/message.ts';

const event = {
  id: '019a6f00-0000-7000-8000-000000000001',
  type: 'feedback_digest',
  data: { summary: '14 new ratings' },
  createdAt: '2030-03-01T12:00:00.000Z',
};

function embedOf(source: Partial<MessageSource>) {
  const [embed] = buildMessage({ event, template: undefined, discordTemplate: null, ...source }).embeds;
  return embed;
}

test('without templates: the default text, the time, and the event id in the footer', () => {
  expect(buildMessage({ event, template: undefined, discordTemplate: null })).toEqual({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: 'Feedback digest',
        description: '14 new ratings',
        timestamp: '2030-03-01T12:00:00.000Z',
        footer: { text: 'Event 019a6f00-0000-7000-8000-000000000001' },
      },
    ],
  });
});

test('the template of the endpoint overrides the template of the store, which overrides the default text', () => {
  const template = { title: 'Store', body: 'Store: {{summary}}', private: false };
  const color = '#0a7cff';
  expect(embedOf({ template })).toMatchObject({ title: 'Store', description: 'Store: 14 new ratings' });
  expect(
    embedOf({ template, discordTemplate: { title: 'Endpoint', description: null, color } }),
  ).toMatchObject({
    title: 'Endpoint',
    description: 'Store: 14 new ratings',
    color: 0x0a7cff,
  });
  const description = 'Endpoint: {{summary}}';
  expect(embedOf({ discordTemplate: { title: null, description, color: null } })).toMatchObject({
    title: 'Feedback digest',
    description: 'Endpoint: 14 new ratings',
  });
});

test('a private template leaves values out, wherever the text comes from', () => {
  const template = { title: '', body: '', private: true };
  const discordTemplate = { title: '{{summary}}', description: null, color: null };
  expect(JSON.stringify(embedOf({ template, discordTemplate }))).not.toContain('ratings');
});

test('texts that are too long for Discord are truncated between characters', () => {
  const data = { summary: '🖋'.repeat(5000) };
  const template = { title: '{{summary}}', body: '{{summary}}', private: false };
  expect(embedOf({ event: { ...event, data }, template })).toMatchObject({
    title: `${'🖋'.repeat(255)}…`,
    description: `${'🖋'.repeat(4095)}…`,
  });
  const fitting = { summary: '🖋'.repeat(256) };
  expect(embedOf({ event: { ...event, data: fitting }, template })?.title).toBe('🖋'.repeat(256));
});

test('an unknown event is sent with its name', () => {
  expect(embedOf({ event: { ...event, type: 'from_the_future' } })).toMatchObject({
    title: 'from_the_future',
  });
});
