import { describeManagementApi } from '../../conformance/management-api/suite.ts';
import { openCluster } from './world.ts';

describeManagementApi('the API server', openCluster);
