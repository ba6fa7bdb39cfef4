import { isObject } from '@gatehouse/crds';
import type { CallInside } from '../call-inside.ts';
import { type JsonObject, readObject, readString } from '../json.ts';

/** Bounds the work that one read of a batch does. */
const MAX_LINES = 10_000;

interface BatchLineError {
  readonly code: string;
  readonly line: number | null;
  readonly message: string;
  readonly param: null;
}

interface Lines {
  readonly succeeded: readonly object[];
  readonly failed: readonly object[];
}

export function isBatchLineError(run: Lines | BatchLineError): run is BatchLineError {
  return 'code' in run;
}

/** Answers every line of an input file; a line that is no request of the batch's endpoint fails the batch. */
export function runLines(
  content: Buffer,
  { id, endpoint }: { readonly id: string; readonly endpoint: string },
  call: CallInside,
): Lines | BatchLineError {
  const texts = content.toString().split('\n').filter(Boolean);
  if (texts.length === 0) return lineError('empty_file', null, 'The input file is empty.');
  if (texts.length > MAX_LINES)
    return lineError('too_many_tasks', null, `The input file has more than ${MAX_LINES} lines.`);
  const requests: Line[] = [];
  for (const [index, text] of texts.entries()) {
    const request = readLine(text);
    if (request === undefined) return lineError('invalid_json_line', index + 1, 'This line is not parseable as JSON.');
    if (request.url !== endpoint) return lineError('mismatched_url', index + 1, `The url is not ${endpoint}.`);
    requests.push(request);
  }
  const answered = requests.map(({ customId, url, body }, index) => {
    const { status, requestId, body: answer } = call(url, body);
    const response = { status_code: status, request_id: requestId, body: answer };
    return { id: `${id.replace('batch_', 'batch_req_')}${index}`, custom_id: customId, response, error: null };
  });
  return {
    succeeded: answered.filter(({ response }) => response.status_code < 400),
    failed: answered.filter(({ response }) => response.status_code >= 400),
  };
}

interface Line {
  readonly customId: string;
  readonly url: string;
  readonly body: JsonObject;
}

function readLine(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (!isObject(line)) return undefined;
    const customId = readString(line, 'custom_id');
    const url = readString(line, 'url');
    const body = readObject(line, 'body');
    return customId === undefined || url === undefined || body === undefined ? undefined : { customId, url, body };
  } catch {
    return undefined;
  }
}

function lineError(code: string, line: number | null, message: string): BatchLineError {
  return { code, line, message, param: null };
}
