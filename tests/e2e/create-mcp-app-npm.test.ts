import { createdProjects } from './created-project.js';

createdProjects('npm');
