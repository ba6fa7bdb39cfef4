/** The memory that the mock keeps for what clients send, wherever in a request they put it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { ReceivedRequest } from './recorder.ts';
import { createResponder } from './respond.ts';

const MEBIBYTE = 1024 * 1024;
const LONG = 'x'.repeat(MEBIBYTE);
/** Empty lists as JSON; parsed they take more than ten times as much. */
const LISTS = `[${'[],'.repeat(MEBIBYTE / 3)}[]]`;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc'); // node has no other way to it at run time

function post(path: string, text: string, headers: Readonly<Record<string, string>> = {}): ReceivedRequest {
  const body = Buffer.from(text);
  return { method: 'POST', path, search: '', headers, bodyBytes: body.length, body };
}

const FORM = { 'content-type': 'multipart/form-data; boundary=edge' };

function upload({ filename = 'a.txt', purpose = 'evals', type = 'text/plain', header = 'x-a: b' }, index: number) {
  const named = `--edge\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n`;
  const disposition = `content-disposition: form-data; name="file"; filename="${filename}"`;
  return `${named}--edge\r\n${disposition}\r\ncontent-type: ${type}\r\n${header}\r\n\r\n${index}\r\n--edge--`;
}

const ANTHROPIC = { ...FORM, 'anthropic-version': '2023-06-01' };
const START = { 'x-goog-upload-command': 'start' };

const CASES: readonly { rule: string; times: number; request: (index: number) => ReceivedRequest }[] = [
  {
    rule: 'a purpose of a file',
    times: 60,
    request: (index) => post('/v1/files', upload({ purpose: LONG }, index), FORM),
  },
  {
    rule: 'a name of a file',
    times: 60,
    request: (index) => post('/v1/files', upload({ filename: LONG }, index), FORM),
  },
  {
    rule: 'a header beside the name of a file',
    times: 60,
    request: (index) =>
      post('/v1/files', upload({ filename: 'longer-than-a-copied-slice.txt', header: `x-a: ${LONG}` }, index), FORM),
  },
  {
    rule: 'a MIME type of a file',
    times: 60,
    request: (index) => post('/v1/files', upload({ type: `text/${LONG}` }, index), ANTHROPIC),
  },
  {
    rule: 'a name of an announced file',
    times: 60,
    request: (index) => post('/upload/v1beta/files', `{"a":${index},"file":{"displayName":"${LONG}"}}`, START),
  },
  {
    rule: 'a MIME type of an announced file',
    times: 60,
    request: (index) => post('/upload/v1beta/files', `{"a":${index},"file":{"mimeType":"text/${LONG}"}}`, START),
  },
  {
    rule: 'a model that fails the first times',
    times: 60,
    request: (index) => post('/v1/embeddings', `{"model":"mock-${index}${LONG}+fail-503-times-2","input":"a"}`),
  },
  {
    rule: 'metadata of a response',
    times: 20,
    request: (index) => post('/v1/responses', `{"model":"m","input":"${index}","metadata":${LISTS}}`),
  },
  {
    rule: 'metadata of a vector store',
    times: 20,
    request: (index) => post('/v1/vector_stores', `{"name":"${index}","metadata":{"a":${LISTS}}}`),
  },
  {
    rule: 'parameters of a message batch',
    times: 20,
    request: (index) => post('/v1/messages/batches', `{"requests":[{"custom_id":"${index}","params":{"a":${LISTS}}}]}`),
  },
];

function keptBytes(): number {
  collectGarbage();
  collectGarbage(); // the first one finds what the second one gives back
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('many requests with a mebibyte', () => {
  test.for(CASES)('in $rule leave less than 32 MiB behind', ({ times, request }) => {
    createResponder()(request(times)); // what the first request of a process compiles does not count
    const respond = createResponder();
    const before = keptBytes();
    for (let index = 0; index < times; index += 1) respond(request(index));
    expect(keptBytes() - before).toBeLessThan(32 * MEBIBYTE);
    expect(respond(request(0)).outgoing.bursts).toHaveLength(1); // until here the state is in use
  });
});
