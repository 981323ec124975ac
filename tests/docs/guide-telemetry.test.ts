import { describePage } from './guide-page.js';

describePage('telemetry', () => undefined);
