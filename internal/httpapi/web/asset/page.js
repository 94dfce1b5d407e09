// The web page's own script. Without it everything works, by links and forms.
'use strict';
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
