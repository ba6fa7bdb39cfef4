/** Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html */
import { isObject } from '@gatehouse/crds';
import { partners } from '@gatehouse/crds/guardrails';
import { awsSigV4 } from '../../../providers/clouds/aws/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { CheckFault } from '../../outbound/index.ts';
import {
  type Ask,
  authorizeBy,
  type CloudFields,
  definePartner,
  eachText,
  listAt,
  malformed,
  needed,
  needObject,
  objectAt,
  type PartnerCredential,
  replaceTexts,
  textAt,
} from './engine/index.ts';

const signed = awsSigV4({ service: 'bedrock' });
const REGION = /^[a-z0-9-]{1,63}$/;

/** The region of the credential, else that of the environment. */
function regionOf({ credential, tools }: Pick<Ask<unknown>, 'credential' | 'tools'>): string {
  const env = (name: string): string | undefined => tools.cloud?.env(name) || undefined;
  const region = credential.text('awsRegion', 'region') ?? env('AWS_REGION') ?? env('AWS_DEFAULT_REGION');
  if (region === undefined) return needed(credential, 'awsRegion');
  if (!REGION.test(region)) throw new CheckFault('CredentialError', 'The field awsRegion of the credential is no name');
  return region;
}

function fieldsOf(ask: Pick<Ask<unknown>, 'credential' | 'tools'>): CloudFields {
  const { credential } = ask;
  const mode = credential.text('awsAuthType');
  const usesRole = mode === 'assumedRole' || mode === 'serviceRole';
  if (!usesRole) {
    needed(credential, 'awsAccessKeyId', 'accessKeyId');
    needed(credential, 'awsSecretAccessKey', 'accessKeySecret');
  }
  if (mode === 'assumedRole') needed(credential, 'awsRoleArn');
  return {
    aws_auth_type: usesRole ? mode : undefined,
    aws_access_key_id: credential.secret('awsAccessKeyId', 'accessKeyId'),
    aws_secret_access_key: credential.secret('awsSecretAccessKey', 'accessKeySecret'),
    aws_session_token: credential.secret('awsSessionToken'),
    aws_role_arn: credential.text('awsRoleArn'),
    aws_external_id: credential.text('awsExternalId'),
    aws_region: regionOf(ask),
  };
}

/** The region is known with the request; until then its place is held. */
const REGION_PLACE = 'region.invalid';

const hostOf = (credential: PartnerCredential): string => {
  const region = credential.text('awsRegion', 'region');
  const place = region !== undefined && REGION.test(region) ? `${region}.amazonaws.com` : REGION_PLACE;
  return `https://bedrock-runtime.${place}`;
};

export const bedrockGuard = definePartner(partners.bedrockGuard, {
  onError: true,
  empty: true,
  host: hostOf,
  hostFields: ['customHost'],
  path: ({ parameters: { guardrailId, guardrailVersion } }) =>
    `/guardrail/${encodeURIComponent(guardrailId)}/version/${encodeURIComponent(guardrailVersion)}/apply`,
  bodies: eachText((text, { subject }) => ({
    source: subject.phase === 'input' ? 'INPUT' : 'OUTPUT',
    content: [{ text: { text } }],
  })),
  authorize: (request, ask) => {
    const url = request.url.replace(REGION_PLACE, `${regionOf(ask)}.amazonaws.com`);
    return authorizeBy(signed, fieldsOf(ask), { request: { ...request, url }, ask });
  },
  read: (replies, { parameters, subject, texts }) => {
    const readings = replies.map((reply, i) => readReply(needObject(reply, 'form'), texts[i]?.text ?? ''));
    const data = readings.find(({ intervened }) => intervened)?.reply;
    const isBlocked = readings.some(({ blocks }) => blocks);
    const shown = data === undefined ? {} : { data };
    if (!parameters.redact || !readings.some(({ redacted }) => redacted !== undefined)) {
      return { verdict: !isBlocked, ...shown };
    }
    const verdict = !readings.some(({ blocksOther }) => blocksOther);
    const redacted = readings.map((reading) => reading.redacted);
    return { verdict, ...shown, transformed: replaceTexts(subject, texts, redacted) };
  },
});

interface Reading {
  readonly reply: JsonObject;
  readonly intervened: boolean;
  /** Something is blocked, and something other than sensitive information. */
  readonly blocks: boolean;
  readonly blocksOther: boolean;
  /** The text without sensitive information, where there was any. */
  readonly redacted: string | undefined;
}

const SENSITIVE = 'sensitiveInformationPolicy';

function readReply(reply: JsonObject, text: string): Reading {
  const assessments = listAt(reply, 'assessments').filter(isObject);
  const action = textAt(reply, 'action');
  if (action === undefined) throw malformed('action');
  const intervened = action === 'GUARDRAIL_INTERVENED';
  const blocksBy = (isWanted: (policy: string) => boolean): boolean =>
    assessments.some((assessment) =>
      Object.entries(assessment).some(([policy, value]) => isWanted(policy) && findings(value).some(isBlocking)),
    );
  // Without details the action alone says it.
  const isUnexplained = assessments.length === 0;
  return {
    reply,
    intervened,
    blocks: intervened && (isUnexplained || blocksBy(() => true)),
    blocksOther: intervened && (isUnexplained || blocksBy((policy) => policy !== SENSITIVE)),
    redacted: redactedText(reply, assessments, text),
  };
}

/** The findings of a policy, which has lists of them under names of its own. */
const findings = (policy: unknown): readonly unknown[] =>
  isObject(policy)
    ? Object.values(policy).flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
    : [];

const isBlocking = (finding: unknown): boolean => textAt(finding, 'action') === 'BLOCKED';

function redactedText(reply: JsonObject, assessments: readonly JsonObject[], text: string): string | undefined {
  const policies = assessments.flatMap((assessment) => objectAt(assessment, SENSITIVE) ?? []);
  const found = policies.flatMap(findings);
  if (found.length === 0) return undefined;
  const isAnonymized = found.some((finding) => textAt(finding, 'action') === 'ANONYMIZED');
  if (isAnonymized) return textAt(reply, 'outputs', 0, 'text') ?? replaceMatches(text, found);
  return replaceMatches(text, found);
}

/** Entities become their type, findings of patterns the name of the pattern. */
function replaceMatches(text: string, found: readonly unknown[]): string {
  let out = text;
  for (const finding of found) {
    const match = textAt(finding, 'match');
    const name = textAt(finding, 'name') ?? textAt(finding, 'type') ?? 'REDACTED';
    if (match !== undefined && match !== '') out = out.replaceAll(match, () => `{${name}}`);
  }
  return out;
}
