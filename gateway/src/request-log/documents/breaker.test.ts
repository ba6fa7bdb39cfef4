import { expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

function given() {
  let ms = 0;
  const breaker = new Breaker({ failures: 5, pauseMs: 60_000 }, () => ms);
  const end = (isGood: boolean): void => breaker.enter()?.end(isGood);
  const open = (): void => {
    for (let failures = 0; failures < 5; failures += 1) end(false);
  };
  const wait = (more: number): void => {
    ms += more;
  };
  return { breaker, end, open, wait };
}

test('opens after five failures, none of them a success', () => {
  const { breaker, end } = given();
  for (const isGood of [false, false, false, false, true, false, false, false, false]) end(isGood);
  expect(breaker.isOpen).toBe(false);
  end(false);
  expect(breaker.isOpen).toBe(true);
  expect(breaker.enter()).toBeUndefined();
});

test('one call probes the store after the pause, and closes it', () => {
  const { breaker, open, end, wait } = given();
  open();
  wait(59_999);
  expect(breaker.admits).toBe(false);
  wait(1);
  const probe = breaker.enter();
  expect(probe).toBeDefined();
  expect(breaker.enter()).toBeUndefined();
  probe?.end(true);
  expect(breaker.isOpen).toBe(false);
  for (let failures = 0; failures < 4; failures += 1) end(false);
  expect(breaker.isOpen).toBe(false);
});

test('a probe that fails opens it for another pause', () => {
  const { breaker, open, wait } = given();
  open();
  wait(60_000);
  breaker.enter()?.end(false);
  expect(breaker.isOpen).toBe(true);
  wait(59_999);
  expect(breaker.admits).toBe(false);
  wait(1);
  expect(breaker.admits).toBe(true);
});

test('calls that began before it opened say nothing about it, and each call counts once', () => {
  const { breaker, open } = given();
  const earlier = breaker.enter();
  const twice = breaker.enter();
  twice?.end(false);
  twice?.end(false);
  open();
  earlier?.end(true);
  expect(breaker.isOpen).toBe(true);
});
