/** Source: https://learn.microsoft.com/azure/ai-services/content-safety and .../language-service */
import { isObject } from '@gatehouse/crds';
import { partners } from '@gatehouse/crds/guardrails';
import { azureAuth } from '../../../providers/clouds/azure/index.ts';
import type { CheckSubject } from '../../contract.ts';
import { CheckFault } from '../../outbound/index.ts';
import {
  type Ask,
  authorizeBy,
  type CloudFields,
  contentText,
  definePartner,
  listAt,
  malformed,
  member,
  messagesOf,
  needBoolean,
  needed,
  needObject,
  numberAt,
  once,
  type PartnerCredential,
  type PartnerRequest,
  replaceTexts,
  textAt,
} from './engine/index.ts';

type Service = 'pii' | 'contentSafety';

const RESOURCE = /^[A-Za-z0-9-]{1,63}$/;
/** Documents in one call. Source: Azure AI Language, data limits of the synchronous API. */
const MAX_DOCUMENTS = 5;

const authorizer = azureAuth({
  apiKey: {
    summary: 'Ocp-Apim-Subscription-Key',
    apply: (request, { fields }) => {
      request.headers['ocp-apim-subscription-key'] = fields.secret('api_key')?.reveal() ?? '';
    },
  },
});

/** A field of the service, or one that all services share. */
const names = (service: Service, name: string): [string, string] => [`${service}.${name}`, name];

function hostOf(service: Service) {
  return (credential: PartnerCredential): string => {
    const own = credential.text(...names(service, 'customHost'), `${service}.baseUrl`);
    if (own !== undefined) return own;
    const resource = credential.text(...names(service, 'resourceName')) ?? needed(credential, 'resourceName');
    if (!RESOURCE.test(resource)) throw new CheckFault('CredentialError', 'The field resourceName is no name');
    return `https://${resource}.cognitiveservices.azure.com`;
  };
}

function fieldsOf(service: Service, credential: PartnerCredential): CloudFields {
  const text = (name: string): string | undefined => credential.text(...names(service, name));
  const apiKey = credential.secret(...names(service, 'apiKey'));
  const mode = text('azureAuthMode');
  if (mode !== 'entra' && mode !== 'managed') {
    needed(credential, 'apiKey', `${service}.apiKey`);
    return { api_key: apiKey };
  }
  return {
    azure_auth_mode: mode,
    azure_ad_token: apiKey,
    azure_entra_tenant_id: text('tenantId'),
    azure_entra_client_id: text('clientId'),
    azure_entra_client_secret: credential.secret(...names(service, 'clientSecret')),
    azure_managed_client_id: text('clientId'),
  };
}

const shared = (service: Service) =>
  ({
    onError: true,
    empty: true,
    host: hostOf(service),
    headers: () => ({ 'user-agent': 'gw-ai-plugin/' }),
    authorize: (request: PartnerRequest, ask: Ask<unknown>) =>
      authorizeBy(authorizer, fieldsOf(service, ask.credential), { request, ask }),
  }) as const;

const pathOf =
  (path: string) =>
  ({ parameters }: { readonly parameters: { readonly apiVersion: string } }): string =>
    `${path}?api-version=${encodeURIComponent(parameters.apiVersion)}`;

export const azurePii = definePartner(partners.azurePii, {
  ...shared('pii'),
  path: pathOf('/language/:analyze-text'),
  bodies: ({ parameters: { domain, modelVersion, piiCategories, language }, texts }) => {
    const documents = texts.map(({ text }, i) => ({ id: String(i), text, language }));
    const batches = Array.from({ length: Math.ceil(documents.length / MAX_DOCUMENTS) }, (_, i) =>
      documents.slice(i * MAX_DOCUMENTS, (i + 1) * MAX_DOCUMENTS),
    );
    return batches.map((batch) => ({
      kind: 'PiiEntityRecognition',
      parameters: { domain, modelVersion, ...(piiCategories === undefined ? {} : { piiCategories }) },
      analysisInput: { documents: batch },
    }));
  },
  read: (replies, { parameters, subject, texts }) => {
    const results = replies.map((reply) => needObject(reply, 'results', 'results'));
    if (results.some((result) => listAt(result, 'errors').length > 0)) {
      throw new CheckFault('ServiceError', 'The service could not check all texts');
    }
    const documents = results.flatMap((result) => listAt(result, 'documents'));
    const isFound = documents.some((document) => listAt(document, 'entities').length > 0);
    const data = replies.length === 1 ? replies[0] : replies;
    if (!isFound || !parameters.redact) return { verdict: !isFound, data };
    const byId = new Map(documents.map((document) => [textAt(document, 'id'), textAt(document, 'redactedText')]));
    const redacted = texts.map((_, i) => byId.get(String(i)));
    return { verdict: false, data, transformed: replaceTexts(subject, texts, redacted) };
  },
});

export const azureContentSafety = definePartner(partners.azureContentSafety, {
  ...shared('contentSafety'),
  path: pathOf('/contentsafety/text:analyze'),
  bodies: once(({ subject, parameters: { categories, blocklistNames } }) => ({
    text: subject.text,
    categories,
    blocklistNames,
  })),
  read: ([reply], { parameters }) => {
    const data = needObject(reply, 'form');
    if (!Array.isArray(data['categoriesAnalysis'])) throw malformed('categoriesAnalysis');
    const isSevere = (category: unknown): boolean => (numberAt(category, 'severity') ?? 0) >= parameters.severity;
    const isListed = listAt(data, 'blocklistsMatch').length > 0;
    return { verdict: !isListed && !listAt(data, 'categoriesAnalysis').some(isSevere), data };
  },
});

/** System messages are the prompt of the user of the service; what comes with the last message are its documents. */
function promptAndDocuments({ request, text, parts }: CheckSubject): object {
  const system = messagesOf(request).filter(({ role }) => role === 'system');
  if (system.length === 0) return { userPrompt: text, documents: [] };
  const userPrompt = system.map(({ content }) => contentText(content)).join('\n');
  return { userPrompt, documents: parts.filter((part) => part !== '') };
}

export const azureShieldPrompt = definePartner(partners.azureShieldPrompt, {
  ...shared('contentSafety'),
  only: { phase: 'input', verdict: true },
  path: pathOf('/contentsafety/text:shieldPrompt'),
  bodies: once(({ subject }) => promptAndDocuments(subject)),
  read: ([reply]) => {
    const data = needObject(reply, 'userPromptAnalysis');
    const isAttack = (analysis: unknown): boolean => member(analysis, 'attackDetected') === true;
    const isFound = [data['userPromptAnalysis'], ...listAt(data, 'documentsAnalysis')].some(isAttack);
    if (!isObject(data['userPromptAnalysis']) && !isFound)
      throw new CheckFault('ParseError', 'The service gave no analysis');
    return { verdict: !isFound, data };
  },
});

export const azureProtectedMaterial = definePartner(partners.azureProtectedMaterial, {
  ...shared('contentSafety'),
  only: { phase: 'output', verdict: true },
  path: pathOf('/contentsafety/text:detectProtectedMaterial'),
  bodies: once(({ subject }) => ({ text: subject.text })),
  read: ([reply]) => ({
    verdict: !needBoolean(reply, 'protectedMaterialAnalysis', 'protectedMaterialAnalysis', 'detected'),
    data: reply,
  }),
});
