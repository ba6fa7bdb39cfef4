/** A process without a folder, used the way it says. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import Anthropic from '@anthropic-ai/sdk';
import { waitFor } from '@gatehouse/test/kit';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMockProvider } from './mock-provider/index.ts';
import {
  addressOf,
  type ChildGatehouse,
  runGatehouse,
  startGatehouse,
  type TempFolder,
  tempFolder,
} from './testing/index.ts';

const run = promisify(execFile);
const ADMIN_KEY = 'gwk_given_0123456789abcdef0123456789';

let folder: TempFolder;
let child: ChildGatehouse;
let key: string;

const argsOf = (data: string): string[] => ['standalone', '--data', data, '--port', '0', '--admin-port', '0'];

beforeAll(async () => {
  folder = tempFolder();
  child = startGatehouse(argsOf(`${folder.path}/data`));
  await waitFor(() => child.err.includes('The Anthropic SDK'), { what: 'the start message' });
  key = /export GATEHOUSE_ADMIN_KEY=(gwk_[\w-]{43})$/m.exec(child.err)?.[1] ?? 'none';
});
afterAll(async () => {
  await child[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** The object that a line of the message makes. */
function clientOf<T>(name: string, of: new () => T): T {
  const [, line = ''] = new RegExp(`JavaScript: +(new ${name}\\(.*\\))$`, 'm').exec(child.err) ?? [];
  return runInNewContext(line, { [name]: of, process: { env: { GATEHOUSE_ADMIN_KEY: key } } }) as T; // it is `new of(…)`
}

describe('without keys of providers, the start message', () => {
  test('says that answers are made up, and what to set', () => {
    expect(child.err).toMatch(/mock provider .*made up/);
    expect(child.err).toContain('set OPENAI_API_KEY');
  });

  test('shows commands that work', async () => {
    const command = /^ {2}curl (?:.*\\\n)+.*$/m.exec(child.err)?.[0] ?? 'false';
    const { stdout } = await run('bash', ['-c', command], {
      env: { PATH: '/usr/bin:/bin', GATEHOUSE_ADMIN_KEY: key },
    });
    expect(JSON.parse(stdout)).toMatchObject({ object: 'chat.completion' });
  });

  test.for(['@openai/gpt-4o-mini', '@anthropic/claude-haiku-5-5', '@google/gemini-2.5-flash', 'gpt-4o-mini'])(
    'shows an OpenAI client that serves %s',
    async (model) => {
      const answer = await clientOf('OpenAI', OpenAI).chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'hi' }],
      });
      expect(answer.choices[0]?.message.role).toBe('assistant');
    },
  );

  test.for(['@anthropic/claude-haiku-5-5', 'claude-haiku-5-5'])(
    'shows an Anthropic client that serves %s, of which it does not warn',
    async (model) => {
      const warn = vi.spyOn(console, 'warn').mockReturnValue();
      const answer = await clientOf('Anthropic', Anthropic).messages.create({
        model,
        max_tokens: 16,
        messages: [{ role: 'user', content: 'hi' }],
      });
      expect(answer.role).toBe('assistant');
      expect(warn.mock.calls).toEqual([]);
      expect(child.err).toContain(model);
      warn.mockRestore();
    },
  );
});

describe('a process without a folder', () => {
  test('serves the providers of its variables, and calls none of them for a list of models', async () => {
    await using served = startGatehouse(argsOf(`${folder.path}/other`), {
      GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
      GROQ_API_KEY: 'sk-groq',
      MISTRAL_API_KEY: 'sk-mistral',
    });
    const url = await addressOf(served);
    expect(served.err).toMatch(/@groq +GROQ_API_KEY/);
    expect(served.err + served.out).not.toMatch(/sk-groq|sk-mistral|gwk_given/);
    const ask = (model: string): Promise<Response> =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [] }),
      });
    const unnamed = await ask('any');
    expect(unnamed.status).toBe(400);
    expect(await unnamed.text()).toMatch(/@(groq|mistral-ai)/);
    expect((await ask('@openai/gpt-4o-mini')).status).toBe(400);
  });

  test('sends requests that name nobody to the only provider, here a server of this machine', async () => {
    await using mock = await createMockProvider();
    await using served = startGatehouse(argsOf(`${folder.path}/ollama`), {
      GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
      OLLAMA_HOST: new URL(mock.url).host,
    });
    const openai = new OpenAI({ baseURL: `${await addressOf(served)}/v1`, apiKey: ADMIN_KEY });
    for (const model of ['llama3.2', '@ollama/llama3.2']) {
      const answer = await openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }] });
      expect(answer.model).toBe('llama3.2');
    }
  });

  test('serves from several workers, too', async () => {
    await using served = startGatehouse([...argsOf(`${folder.path}/workers`), '--workers', '2'], {
      GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
    });
    const url = await addressOf(served);
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: ADMIN_KEY });
    const answer = await openai.chat.completions.create({
      model: '@openai/any',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(answer.choices).toHaveLength(1);
  });

  test('refuses a folder that is not there', async () => {
    expect(await runGatehouse(['standalone', '--resources', `${folder.path}/nothing`])).toMatchObject({ status: 1 });
  });
});
