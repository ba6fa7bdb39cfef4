/** Checks that ask a service of a partner; one file per plugin. */
import type { CheckDefinition } from '../../contract.ts';
import { acuvityScan } from './acuvity.ts';
import { aktoScan } from './akto.ts';
import { aporiaValidateProject } from './aporia.ts';
import { azureContentSafety, azurePii, azureProtectedMaterial, azureShieldPrompt } from './azure.ts';
import { bedrockGuard } from './bedrock.ts';
import { catoAnalyze } from './cato.ts';
import { crowdstrikeGuard } from './crowdstrike.ts';
import { f5Scan } from './f5.ts';
import { javelinGuardrails } from './javelin.ts';
import { lakeraGuard } from './lakera.ts';
import { lassoClassify } from './lasso.ts';
import { mistralModerateContent } from './mistral.ts';
import { pangeaPii, pangeaTextGuard } from './pangea.ts';
import { panwIntercept } from './panw.ts';
import { PATRONUS } from './patronus.ts';
import { pillarScanPrompt, pillarScanResponse } from './pillar.ts';
import { promptfooGuard, promptfooHarm, promptfooPii } from './promptfoo.ts';
import { promptsecurityProtectPrompt, promptsecurityProtectResponse } from './promptsecurity.ts';
import { QUALIFIRE } from './qualifire.ts';
import { sydeguard } from './sydelabs.ts';
import { walledprotect } from './walledai.ts';
import { exaOnline, tavilyOnline } from './web-search.ts';
import { zscalerGuardrails } from './zscaler.ts';

export const PARTNER_CHECKS: readonly CheckDefinition[] = [
  acuvityScan,
  aktoScan,
  aporiaValidateProject,
  azureContentSafety,
  azurePii,
  azureProtectedMaterial,
  azureShieldPrompt,
  bedrockGuard,
  catoAnalyze,
  crowdstrikeGuard,
  exaOnline,
  f5Scan,
  javelinGuardrails,
  lakeraGuard,
  lassoClassify,
  mistralModerateContent,
  pangeaPii,
  pangeaTextGuard,
  panwIntercept,
  ...PATRONUS,
  pillarScanPrompt,
  pillarScanResponse,
  promptfooGuard,
  promptfooHarm,
  promptfooPii,
  promptsecurityProtectPrompt,
  promptsecurityProtectResponse,
  ...QUALIFIRE,
  sydeguard,
  tavilyOnline,
  walledprotect,
  zscalerGuardrails,
];
