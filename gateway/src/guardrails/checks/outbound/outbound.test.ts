import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import type { SideAnswer, SideRequest } from '../../../providers/contract.ts';
import type { CheckSubject } from '../../contract.ts';
import { outcomeOf, runCheck, subjectOf, toolsOf } from '../../testing.ts';

type Reply = Readonly<{ status?: number; headers?: Record<string, string>; body?: unknown }> | AppError;

/** A network whose answers depend on the URL. */
function network(reply: (request: SideRequest) => Reply) {
  const sent: SideRequest[] = [];
  const fetch = async (request: SideRequest): Promise<SideAnswer> => {
    sent.push(request);
    const given = reply(request);
    if (given instanceof AppError) throw given;
    const { status = 200, headers = {}, body = '' } = given;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    if (bytes.length > (request.maxBytes ?? bytes.length)) throw new AppError('UPSTREAM_TOO_LARGE');
    return { status, headers, body: bytes };
  };
  return { sent, tools: toolsOf({ fetch }) };
}

const unreachable = new AppError('UPSTREAM_UNREACHABLE');
const refused = new AppError('UPSTREAM_ADDRESS_REFUSED');

const answered = (text: string): CheckSubject =>
  subjectOf([text], {
    phase: 'output',
    response: { choices: [{ message: { content: text } }] },
    responseStatus: 200,
    responseText: () => text,
  });

describe('webhook', () => {
  const webhookURL = 'https://user:pw@hook.example/check?key=k';
  const run = async (reply: Reply, subject = subjectOf(['hi']), parameters: object = {}) => {
    const { sent, tools } = network(() => reply);
    return { answer: await runCheck('webhook', { webhookURL, ...parameters }, subject, { tools }), sent };
  };

  test.for<[rule: string, reply: Reply, want: string]>([
    ['passes when the service says so', { body: { verdict: true } }, 'T'],
    ['fails when the service says so', { body: { verdict: false } }, 'F'],
    ['fails without a verdict', { body: {} }, 'F'],
    ['fails with a verdict in words', { body: { verdict: 'false' } }, 'F'],
    ['cannot decide with another status', { status: 500, body: { verdict: true } }, 'F e'],
    ['cannot decide without JSON', { body: '<html>' }, 'F e'],
    ['cannot decide with a list', { body: [] }, 'F e'],
    ['cannot decide without an answer', unreachable, 'F e'],
    ['cannot decide at a host that is not allowed', refused, 'F e'],
  ])('%s', async ([, reply, want]) => {
    expect(outcomeOf((await run(reply)).answer)).toBe(want);
  });

  test('is told about request and answer, without headers of the client', async () => {
    const subject = subjectOf(['hi'], { headers: () => [['x-secret', 's']], metadata: { user: 'u' } });
    const { sent } = await run({ body: { verdict: true } }, subject);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      request: { json: subject.request, text: 'hi', isStreamingRequest: false, isTransformed: false },
      response: { json: {}, text: '', statusCode: null, isTransformed: false },
      provider: 'openai',
      requestType: 'chatComplete',
      metadata: { user: 'u' },
      eventType: 'beforeRequestHook',
    });
  });

  test('is told about the answer in its phase', async () => {
    const subject = { ...answered('yes'), requestTransformed: true, responseTransformed: true };
    const { sent } = await run({ body: { verdict: true } }, subject);
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      request: { isTransformed: true },
      response: { text: 'yes', statusCode: 200, isTransformed: true },
      eventType: 'afterRequestHook',
    });
  });

  test.for<[rule: string, subject: CheckSubject, want: object | undefined]>([
    ['the request', subjectOf(['hi']), { kind: 'body', body: { a: 1 } }],
    ['the answer', answered('hi'), { kind: 'body', body: { b: 1 } }],
  ])('may replace %s, also when it fails', async ([, subject, want]) => {
    const transformedData = { request: { json: { a: 1 } }, response: { json: { b: 1 } } };
    const { answer } = await run({ body: { verdict: false, transformedData } }, subject);
    expect(answer).toMatchObject({ verdict: false, transformed: want });
  });

  test.for<[form: string, headers: unknown]>([
    ['an object', { 'X-Token': 'top-secret' }],
    ['a text', '{"X-Token": "top-secret"}'],
  ])('gets headers given as %s, and its answers do not repeat their credentials', async ([, headers]) => {
    const reply = { body: { verdict: true, data: { echo: 'top-secret' } } };
    const { answer, sent } = await run(reply, subjectOf(['hi']), { headers });
    expect(sent[0]?.headers).toMatchObject({ 'x-token': 'top-secret' });
    expect(JSON.stringify(answer)).not.toContain('top-secret');
  });

  test('shows its URL without credentials, and what a failure said', async () => {
    const { answer } = await run({ status: 403, body: { why: 'no' } });
    expect(answer.data).toMatchObject({ webhookUrl: 'https://hook.example/check', responseData: { why: 'no' } });
  });
});

describe('log', () => {
  const logURL = 'https://log.example/';
  const run = async (reply: Reply, subject = answered('yes')) => {
    const { sent, tools } = network(() => reply);
    return { answer: await runCheck('log', { logURL, headers: '{"a":"b"}' }, subject, { tools }), sent };
  };

  test.for<[rule: string, reply: Reply, want: string]>([
    ['passes when the service accepts', { status: 200 }, 'T'],
    ['passes without JSON', { status: 202, body: 'ok' }, 'T'],
    ['cannot tell when the service refuses', { status: 400 }, 'F e'],
    ['cannot tell when the service fails', { status: 503 }, 'F e'],
    ['cannot tell without an answer', unreachable, 'F e'],
    ['cannot tell at a host that is not allowed', refused, 'F e'],
  ])('%s', async ([, reply, want]) => {
    expect(outcomeOf((await run(reply)).answer)).toBe(want);
  });

  test('sends the headers of the client without credentials', async () => {
    const headers: [string, string][] = [
      ['user-agent', 'sdk'],
      ['authorization', 'Bearer k'],
      ['cookie', 'k'],
      ['x-api-key', 'k'],
      ['x-gw-config', '{"api_key":"k"}'],
      ['x-gw-trace-id', 't'],
      ['connection', 'close'],
    ];
    const { sent } = await run({}, subjectOf(['hi'], { headers: () => headers }));
    expect(JSON.parse(sent[0]?.body ?? '').request.headers).toEqual({ 'user-agent': 'sdk', 'x-gw-trace-id': 't' });
    expect(sent[0]?.headers).toMatchObject({ a: 'b' });
  });
});

describe('validUrls', () => {
  const run = async (text: string, reply: (request: SideRequest) => Reply, parameters: object = {}) => {
    const { sent, tools } = network(reply);
    return { answer: await runCheck('validUrls', parameters, answered(text), { tools }), sent };
  };
  const web = ({ url }: SideRequest): Reply => {
    if (url.includes('gone')) return { status: 404 };
    if (url.includes('moved')) return { status: 302, headers: { location: '/ok' } };
    if (url.includes('loop')) return { status: 302, headers: { location: '/loop' } };
    if (url.includes('private')) return refused;
    if (url.includes('file')) return { status: 301, headers: { location: 'file:///etc/passwd' } };
    return {};
  };

  test.for<[text: string, parameters: object, want: string]>([
    ['see http://a.example/ok', {}, 'T'],
    ['see http://a.example/ok', { not: true }, 'F'],
    ['"https://a.example/1","https://a.example/2"', {}, 'T'],
    ['http://a.example/gone', {}, 'F'],
    ['http://a.example/gone', { not: true }, 'T'],
    ['http://a.example/ok http://a.example/gone', {}, 'F'],
    ['http://a.example/moved', {}, 'T'],
    ['http://a.example/loop', {}, 'F'],
    ['http://a.example/file', {}, 'F'],
    ['http://private.example/', {}, 'F'],
    ['no link', {}, 'F'],
    ['no link', { not: true }, 'F'],
    ['', {}, 'F e'],
    ['http://', {}, 'F'],
    [Array.from({ length: 51 }, (_, i) => `http://a.example/${i}`).join(' '), {}, 'F'],
    [`http://a.example/${'a'.repeat(2_100)}`, {}, 'F'],
  ])('on %s with %o', async ([text, parameters, want]) => {
    expect(outcomeOf((await run(text, web, parameters)).answer)).toBe(want);
  });

  test('asks each URL once, and as a host of the request', async () => {
    const { sent } = await run('http://a.example/1 http://a.example/1', web);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ method: 'HEAD', headers: { 'user-agent': 'URLValidator/1.0' } });
    expect(sent[0]?.account).toBeUndefined();
  });

  const found = (data: string, type = 1) => ({ body: { Status: 0, Answer: [{ type, data }] } });
  const dns = ({ url }: SideRequest): Reply => {
    const { name, type } = Object.fromEntries(new URL(url).searchParams);
    if (name === 'ok.example') return found('93.184.216.34');
    if (name === 'six.example') return type === 'AAAA' ? found('2606:2800:220:1::1', 28) : { body: { Status: 0 } };
    if (name === 'inner.example') return found('10.0.0.1');
    if (name === 'broken.example') return { status: 502 };
    return { body: { Status: 3 } };
  };

  test.for<[text: string, want: string]>([
    ['https://ok.example/gone', 'T'],
    ['https://six.example/', 'T'],
    ['https://inner.example/', 'F'],
    ['https://none.example/', 'F'],
    ['https://8.8.8.8/', 'T'],
    ['https://127.0.0.1/', 'F'],
    ['https://broken.example/', 'F e'],
  ])('with a resolver alone on %s', async ([text, want]) => {
    const parameters = { onlyDNS: true, resolverURL: 'https://dns.example/q' };
    const { answer, sent } = await run(text, dns, parameters);
    expect(outcomeOf(answer)).toBe(want);
    for (const { url } of sent) expect(url).toMatch(/^https:\/\/dns\.example\/q\?/);
  });
});

describe('inlineImageUrls', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });
  const asking = (...content: object[]): CheckSubject =>
    subjectOf([], { request: { model: 'm', messages: [{ role: 'user', content }] } });
  const run = async (subject: CheckSubject, reply: Reply, parameters: object = {}) => {
    const { sent, tools } = network(() => reply);
    return { answer: await runCheck('inlineImageUrls', parameters, subject, { tools }), sent };
  };
  const png = { body: Buffer.from('png'), headers: { 'content-type': 'image/png; q=1' } };

  test.for<[rule: string, subject: CheckSubject, reply: Reply, want: string, parameters?: object]>([
    ['replaces an image', asking(image('http://a.example/a')), png, 'T'],
    ['does nothing without images', asking({ type: 'text', text: 'a' }), png, 'T'],
    ['leaves data URLs alone', asking(image('data:image/png;base64,aa')), unreachable, 'T'],
    ['leaves other schemes alone', asking(image('gs://bucket/a')), unreachable, 'T'],
    ['is for the providers of its parameters', asking(image('http://a/')), unreachable, 'T', { providers: ['x'] }],
    ['cannot fetch an image that is gone', asking(image('http://a.example/')), { status: 404 }, 'F e'],
    ['cannot fetch an image that is too large', asking(image('http://a.example/')), png, 'F e', { maxSizeBytes: 2 }],
    ['cannot fetch an empty image', asking(image('http://a.example/')), {}, 'F e'],
    ['cannot fetch from a host that is not allowed', asking(image('http://a.example/')), refused, 'F e'],
    ['does nothing with answers', answered('x'), unreachable, 'T'],
  ])('%s', async ([, subject, reply, want, parameters]) => {
    expect(outcomeOf((await run(subject, reply, parameters)).answer)).toBe(want);
  });

  const contentOf = async (part: object, reply: Reply = png) => {
    const { answer } = await run(asking({ type: 'text', text: 'a' }, part), reply);
    const body = answer.transformed?.kind === 'body' ? answer.transformed.body : {};
    return JSON.parse(JSON.stringify(body)).messages[0].content;
  };

  test('writes a data URL in the format of chats', async () => {
    expect(await contentOf(image('http://a.example/a'))).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,cG5n', mime_type: 'image/png' } },
    ]);
  });

  test('writes base64 in the format of messages', async () => {
    const [, part] = await contentOf({ type: 'image', source: { type: 'url', url: 'http://a.example/a' } });
    expect(part).toEqual({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'cG5n' } });
  });

  test.for([
    ['http://a.example/a.WEBP?x=.gif', 'image/webp'],
    ['http://a.example/a.heic', 'image/heic'],
    ['http://a.example/a', 'image/jpeg'],
  ])('takes the type of %s from its name where it is served without one', async ([url = '', want]) => {
    const [, part] = await contentOf(image(url), { body: 'x', headers: { 'content-type': 'text/html' } });
    expect(part.image_url.mime_type).toBe(want);
  });

  test('encodes a large image in pieces that fit together', async () => {
    const bytes = Buffer.alloc(2_000_001, 7);
    const [, part] = await contentOf(image('http://a.example/a'), { ...png, body: bytes });
    expect(Buffer.from(part.image_url.url.split(',')[1], 'base64').equals(bytes)).toBe(true);
  });
});
