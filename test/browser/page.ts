/** The program of a page in the browser: unmodified SDKs. The test calls `actions` and gets their results as JSON. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

interface Asked {
  /** Without `/v1`. */
  readonly url: string;
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
}

const QUESTION = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const MODEL = 'mock-small';

const openai = ({ url, apiKey, headers = {} }: Asked) =>
  new OpenAI({
    ...{ baseURL: `${url}/v1`, apiKey, defaultHeaders: headers },
    ...{ maxRetries: 0, dangerouslyAllowBrowser: true },
  });

const actions = {
  complete: async (asked: Asked) => {
    const call = openai(asked).chat.completions.create({ model: MODEL, messages: QUESTION });
    const { data, response } = await call.withResponse();
    return { text: data.choices[0]?.message.content, headers: Object.fromEntries(response.headers) };
  },
  stream: async (asked: Asked) => {
    const chunks = await openai(asked).chat.completions.create({ model: MODEL, messages: QUESTION, stream: true });
    const pieces = await Array.fromAsync(chunks, ({ choices }) => choices[0]?.delta.content ?? '');
    return { text: pieces.join(''), pieces: pieces.length };
  },
  leaveStream: async (asked: Asked) => {
    const model = asked.model ?? MODEL;
    const chunks = await openai(asked).chat.completions.create({ model, messages: QUESTION, stream: true });
    for await (const { object } of chunks) return { object }; // ends the stream
    return {};
  },
  models: async (asked: Asked) => ({ objects: (await openai(asked).models.list()).data.map(({ object }) => object) }),
  message: async ({ url, apiKey, headers = {} }: Asked) => {
    const anthropic = new Anthropic({
      ...{ baseURL: url, apiKey, defaultHeaders: headers },
      ...{ maxRetries: 0, dangerouslyAllowBrowser: true },
    });
    const { content } = await anthropic.messages.create({ model: MODEL, max_tokens: 100, messages: QUESTION });
    return { types: content.map(({ type }) => type) };
  },
  health: async ({ url }: Asked) => ({ status: (await fetch(`${url}/v1/health`)).status }),
  withCookies: async ({ url, apiKey }: Asked) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    return { status: (await fetch(`${url}/v1/models`, { headers, credentials: 'include' })).status };
  },
};

export type Action = keyof typeof actions;

/** What an error is to a page: another origin's answer that is not shared is no more than a failed connection. */
const failure = (error: unknown) => {
  const { name, status, message } = error as { name?: string; status?: number; message?: string }; // errors of SDKs and fetch
  return { error: { name, kind: (error as object).constructor.name, status, message } };
};

Object.assign(globalThis, {
  run: (action: Action, asked: Asked): Promise<object> => actions[action](asked).catch(failure),
});
