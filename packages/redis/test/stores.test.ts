import { describeStores } from './fixtures/stores.js';
import { describeWithRedis } from './fixtures/servers.js';

describeWithRedis('on Redis', describeStores);
