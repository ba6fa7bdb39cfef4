/** Objects of the bucket as files of OpenAI's API. */
import { secondsOf, toFileObject } from '../../../wire/openai/index.ts';
import { type ObjectPlace, objectId, objectUri, parseObject, textOf } from '../../clouds/objects/index.ts';
import type { AnswerHead, Call, Procedure } from '../../contract.ts';
import { askS3, objectUrl, openS3, reachesS3, S3 } from './store.ts';

const placeOf = (call: Call): ObjectPlace =>
  parseObject(call.route['file_id'] ?? '', { call, rules: S3, param: 'file_id' });

export const getFile: Procedure = {
  offer: 'mapped',
  supports: reachesS3,
  async run(call, tools) {
    const place = placeOf(call);
    const { headers } = await askS3(tools, { method: 'HEAD', url: objectUrl(call, place) });
    const file = toFileObject({
      id: objectId(S3, place),
      bytes: lengthOf({ headers }),
      created_at: secondsOf(textOf(headers['last-modified'])),
      filename: objectUri(S3, place),
      ...{ purpose: 'batch', status: 'processed', status_details: '' },
    });
    return { kind: 'json', value: file };
  },
};

export const getFileContent: Procedure = {
  offer: 'mapped',
  supports: reachesS3,
  async run(call, tools) {
    const answer = await openS3(tools, { method: 'GET', url: objectUrl(call, placeOf(call)) });
    return {
      kind: 'content',
      contentType: 'application/octet-stream',
      bytes: lengthOf(answer),
      content: answer.content,
    };
  },
};

function lengthOf({ headers }: Pick<AnswerHead, 'headers'>): number | undefined {
  const text = textOf(headers['content-length']);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
