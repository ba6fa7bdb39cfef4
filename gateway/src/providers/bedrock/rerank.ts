/** Ranking of documents, which the agent runtime serves. */
import { ok } from '@gatehouse/crds';
import { fromRerank, takesRerank, toRerankBody } from '../../wire/bedrock/index.ts';
import { awsRegion } from '../clouds/aws/index.ts';
import type { Call, Endpoint, ProviderServices } from '../contract.ts';
import { requireModel } from '../engine/index.ts';

export const rerank: Endpoint = {
  method: 'POST',
  path: '/rerank',
  request: {
    kind: 'write',
    takes: () => takesRerank,
    write: (params, call, { services }) => ok(toRerankBody(params, modelArn(call, services))),
  },
  answer: { kind: 'read', read: fromRerank },
};

/** Partitions by the beginning of their regions. Source: AWS, partitions. */
const PARTITIONS = [
  ['us-gov-', 'aws-us-gov'],
  ['cn-', 'aws-cn'],
] as const;

/** The service wants the ARN of a model; an id is that of a foundation model in the region of the account. */
function modelArn(call: Call, { env }: ProviderServices): string {
  const model = requireModel(call);
  if (model.startsWith('arn:')) return model;
  const region = awsRegion(call, env);
  const [, partition = 'aws'] = PARTITIONS.find(([prefix]) => region.startsWith(prefix)) ?? [];
  return `arn:${partition}:bedrock:${region}::foundation-model/${model}`;
}
