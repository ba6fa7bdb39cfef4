import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../wire/contract.ts';
import type { CheckSubject } from '../../contract.ts';
import { outcomeOf, runCheck, subjectOf } from '../../testing.ts';

type RequestType = CheckSubject['requestType'];

const say = (role: string, content: unknown) => ({ role, content });
const text = (text: string) => ({ type: 'text', text });
const image = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };

async function prefixed(requestType: RequestType, request: JsonObject, parameters: object = {}): Promise<JsonObject> {
  const subject = subjectOf([], { requestType, request });
  const { transformed } = await runCheck('addPrefix', { prefix: 'P:', ...parameters }, subject);
  return transformed?.kind === 'body' ? transformed.body : request;
}

describe('addPrefix on messages of a chat', () => {
  const system = { applyToRole: 'system' };
  test.for<[rule: string, messages: unknown[], parameters: object, want: unknown[]]>([
    [
      'the first message of the role',
      [say('user', 'a'), say('assistant', 'b'), say('user', 'c')],
      {},
      [say('user', 'P:a'), say('assistant', 'b'), say('user', 'c')],
    ],
    ['the first text of several parts', [say('user', [image, text('a')])], {}, [say('user', [image, text('P:a')])]],
    ['parts without a text', [say('user', [image])], {}, [say('user', [text('P:'), image])]],
    ['a message before it', [say('user', 'a')], { addToExisting: false }, [say('user', 'P:'), say('user', 'a')]],
    ['a message with a text, when it should be empty', [say('user', 'a')], { onlyIfEmpty: true }, [say('user', 'a')]],
    ['an empty message', [say('user', '')], { onlyIfEmpty: true }, [say('user', 'P:')]],
    ['a message without content', [say('assistant', null)], { applyToRole: 'assistant' }, [say('assistant', 'P:')]],
    ['no message of the system', [say('user', 'a')], system, [say('system', 'P:'), say('user', 'a')]],
    [
      'no message of the assistant',
      [say('user', 'a')],
      { applyToRole: 'assistant' },
      [say('user', 'a'), say('assistant', 'P:')],
    ],
    ['no message at all', [], {}, [say('user', 'P:')]],
    ['what is no message', [null, 'x'], {}, [null, 'x', say('user', 'P:')]],
  ])('%s', async ([, messages, parameters, want]) => {
    const request = { model: 'm', messages };
    expect(await prefixed('chatComplete', request, parameters)).toEqual({ model: 'm', messages: want });
    expect(request.messages).toBe(messages);
  });

  test('keeps other members of a message', async () => {
    const { messages } = await prefixed('chatComplete', { messages: [{ ...say('user', 'a'), name: 'bob' }] });
    expect(messages).toEqual([{ ...say('user', 'P:a'), name: 'bob' }]);
  });
});

describe('addPrefix on messages of the other interface', () => {
  const system = { applyToRole: 'system' };
  test.for<[rule: string, request: JsonObject, parameters: object, want: JsonObject]>([
    ['a text', { messages: [say('user', 'a')] }, {}, { messages: [say('user', 'P:a')] }],
    ['no message of the role', { messages: [] }, {}, { messages: [say('user', [text('P:')])] }],
    ['no instructions', { messages: [] }, system, { messages: [], system: 'P:' }],
    ['instructions', { messages: [], system: 'S' }, system, { messages: [], system: 'P:S' }],
    ['instructions in blocks', { messages: [], system: [text('S')] }, system, { messages: [], system: [text('P:S')] }],
    [
      'instructions that stay as they are',
      { messages: [], system: 'S' },
      { ...system, addToExisting: false },
      { messages: [], system: [text('P:'), text('S')] },
    ],
    [
      'instructions, when they should be empty',
      { messages: [], system: 'S' },
      { ...system, onlyIfEmpty: true },
      { messages: [], system: 'S' },
    ],
    [
      'instructions in blocks, with a block of their own',
      { messages: [], system: [text('S')] },
      { ...system, addToExisting: false },
      { messages: [], system: [text('P:'), text('S')] },
    ],
  ])('%s', async ([, request, parameters, want]) => {
    expect(await prefixed('messages', request, parameters)).toEqual(want);
  });
});

describe('addPrefix on a prompt', () => {
  test.for<[rule: string, prompt: unknown, parameters: object, want: unknown]>([
    ['a text', 'a', {}, 'P:a'],
    ['the first of several', ['a', 'b'], {}, ['P:a', 'b']],
    ['tokens', [1, 2], {}, [1, 2]],
    ['a text, when it should be empty', 'a', { onlyIfEmpty: true }, 'a'],
    ['an empty text', '', { onlyIfEmpty: true }, 'P:'],
    ['no prompt', undefined, {}, 'P:'],
  ])('%s', async ([, prompt, parameters, want]) => {
    expect((await prefixed('complete', { prompt }, parameters))['prompt']).toEqual(want);
  });
});

describe('addPrefix leaves', () => {
  test.for<[rule: string, over: Partial<CheckSubject>]>([
    ['answers', { phase: 'output', response: {} }],
    ['embeddings', { requestType: 'embed', request: { input: 'a' } }],
    ['responses', { requestType: 'createModelResponse', request: { input: 'a' } }],
  ])('%s alone', async ([, over]) => {
    const answer = await runCheck('addPrefix', { prefix: 'P:' }, subjectOf(['a'], over));
    expect([outcomeOf(answer), answer.transformed]).toEqual(['T', undefined]);
  });

  test('a request without messages alone, with an error', async () => {
    const answer = await runCheck('addPrefix', { prefix: 'P:' }, subjectOf([], { request: { model: 'm' } }));
    expect([outcomeOf(answer), answer.transformed]).toEqual(['T e', undefined]);
  });
});

test('addPrefix counts as a change also where the message stays as it is', async () => {
  const answer = await runCheck('addPrefix', { prefix: 'P:', onlyIfEmpty: true }, subjectOf(['a']));
  expect(answer.transformed?.kind).toBe('body');
});
