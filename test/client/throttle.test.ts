import { beforeEach, describe, expect, test } from 'vitest';
import { createThrottle, parsePolicy, type Throttle } from '../../src/client/throttle.ts';

let now: number;
let throttle: Throttle;

beforeEach(() => {
  now = 50;
  throttle = createThrottle({ monotonic: () => now });
});

/** Waits of requests that are asked for at the same time. */
const waits = (count: number) => Array.from({ length: count }, () => Math.round(throttle.reserve(0)));

describe('a service', () => {
  test('is asked at full speed until it objects', () => {
    expect(waits(3)).toEqual([0, 0, 0]);
    expect(throttle.reserve(70)).toBe(70);
    expect(throttle.isPaused()).toBe(false);
  });

  test('is left alone as long as it asked, and then asked at intervals that double with each refusal', () => {
    throttle.throttled(now, 5_000);
    expect(throttle.isPaused()).toBe(true);
    expect(waits(3)).toEqual([5_000, 5_100, 5_200]);
    now += 5_000;
    expect(throttle.isPaused()).toBe(false);
    throttle.throttled(now, 5_000);
    expect(waits(3)).toEqual([5_000, 5_200, 5_400]);
    for (let refusal = 0; refusal < 9; refusal += 1) {
      now += 10_000;
      throttle.throttled(now, 0);
    }
    expect(waits(3)).toEqual([0, 5_000, 10_000]);
  });

  test('counts refusals of requests that were in flight together as one', () => {
    throttle.throttled(now, null);
    now += 10;
    for (let request = 0; request < 5; request += 1) throttle.throttled(40, null);
    expect(waits(2)).toEqual([1_000, 1_100]);
    // Sent in the same moment in which the first refusal came: not one of those.
    throttle = createThrottle({ monotonic: () => now });
    throttle.throttled(now, null);
    throttle.throttled(now, null);
    expect(waits(2)).toEqual([2_000, 2_200]);
  });

  test('without Retry-After is left alone for 1 s, doubling to 30 s, and for 1 s again after an answer', () => {
    const pauses = Array.from({ length: 7 }, () => {
      now += 60_000;
      throttle.throttled(now, null);
      return throttle.reserve(0);
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    throttle.passed();
    now += 60_000;
    throttle.throttled(now, null);
    expect(throttle.reserve(0)).toBe(1_000);
  });

  test('is asked faster again with each answer, until it is at full speed', () => {
    throttle.throttled(now, 0);
    expect(waits(2)).toEqual([0, 100]);
    now += 1_000;
    throttle.passed();
    expect(waits(2)).toEqual([0, 97]);
    now += 1_000;
    for (let answer = 0; answer < 160; answer += 1) throttle.passed();
    expect(waits(3)).toEqual([0, 0, 0]);
  });
});

describe('a service that says how many requests it allows', () => {
  test('is asked a few at once, and then as often as it allows, with a margin', () => {
    throttle.allow(20, 2_000);

    expect(waits(8)).toEqual([0, 0, 0, 0, 0, 105, 210, 315]);
    expect(throttle.isSlowed()).toBe(false);
    now += 10_000;
    expect(waits(2)).toEqual([0, 0]);
  });

  test.each([
    ['"default";q=20;w=2', { quota: 20, windowMs: 2_000 }],
    ['"burst";q=100;w=60, "default"; q=10; w=1', { quota: 100, windowMs: 60_000 }],
    ['"default"; q=10; w=1, "burst";q=100;w=60', { quota: 100, windowMs: 60_000 }],
    ['"day";q=5000;w=86400', null],
    ['q=0;w=1', null],
    ['"default";q=20', null],
    ['', null],
    ['anything', null],
  ])('%s', (header, policy) => {
    expect(parsePolicy(header)).toEqual(policy);
  });
});
