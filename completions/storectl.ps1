# Completion of storectl for PowerShell. Generated: run `npm run generate` instead of editing it.
# Load it in your $PROFILE with: storectl completion powershell | Out-String | Invoke-Expression

$global:StorectlTables = @{
    # By path: name and description in turn.
    Commands = @{
        '' = @(
            'store', 'The store itself',
            'blog', 'Blog posts',
            'settings', 'Operations settings: quiet hours, templates, discovery, showcase, privacy',
            'disputes', 'Dispute records',
            'backup', 'Backups of sections of the store',
            'reclaim', 'Notices that reclaim the subdomain',
            'notify', 'Notifications and where they go',
            'history', 'What this machine sent, and what is known about it',
            'resume', 'Settle changes whose outcome is open',
            'auth', 'The key to the store',
            'profile', 'Stored profiles: one for each store',
            'api', 'Send any request with the key',
            'doctor', 'Find what is wrong with the set-up',
            'completion', 'Print the completion script of a shell',
            'demo', 'The example store of --demo',
            'service', 'Run the store management service'
        )
        'store' = @(
            'update', 'Change settings of the store'
        )
        'blog' = @(
            'create', 'Create a blog post'
        )
        'settings' = @(
            'show', 'Show the operations settings',
            'save', 'Change the operations settings',
            'diff', 'Show what a save would change',
            'edit', 'Edit the operations settings in an editor'
        )
        'disputes' = @(
            'show', 'Show a dispute with its evidence',
            'open', 'Open a dispute record',
            'decide', 'Record the decision of a dispute'
        )
        'backup' = @(
            'create', 'Back up sections of the store',
            'restore', 'Restore sections of a backup'
        )
        'reclaim' = @(
            'appeal', 'Appeal a reclaim notice'
        )
        'notify' = @(
            'add-endpoint', 'Add an endpoint that notifications are sent to',
            'mark-read', 'Mark notifications read'
        )
        'history' = @(
            'list', 'List changes, newest first',
            'show', 'Show what was sent and what came back',
            'prune', 'Remove old records'
        )
        'auth' = @(
            'login', 'Store a key, after checking it',
            'logout', 'Remove the stored key',
            'status', 'Show which store and key are used'
        )
        'profile' = @(
            'list', 'List the profiles',
            'use', 'Choose the profile that is used',
            'show', 'Show a profile',
            'set', 'Set the address or the store of a profile',
            'remove', 'Remove a profile and its key'
        )
        'demo' = @(
            'info', 'List what the example store holds',
            'reset', 'Start over with a new example store'
        )
        'service' = @(
            'start', 'Start the service',
            'create-store', 'Create a store',
            'create-key', 'Create a key to a store',
            'keys', 'List the keys to a store',
            'rotate-key', 'Replace a key, with an overlap',
            'revoke-key', 'Make a key invalid',
            'emit', 'Raise an event that no operation emits',
            'deliveries', 'List what is sent to endpoints, or try it again'
        )
    }
    # By path, and * for every path: flag and description in turn.
    Flags = @{
        '' = @(
            '--version', 'Print the version',
            '-V', 'Print the version',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'store' = @(
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'store update' = @(
            '--name', 'Name of the store',
            '--slug', 'Short name of the store in addresses',
            '--default-currency', 'Currency of the store, for example EUR',
            '--timezone', 'Time zone of the store, for example Europe/Berlin',
            '--support-email', 'E-mail address that customers write to',
            '--description', 'What the store says about itself',
            '--logo-image-id', 'Image used as the logo (UUID)',
            '--favicon-image-id', 'Image used as the favicon (UUID)',
            '--brand-color', 'Brand colour of the store, for example #0a7cff',
            '--thank-you-default', 'Text shown after a purchase',
            '--cashback-bp', 'Cashback in basis points (250 is 2.5 %)',
            '--cashback-cap-minor', 'Most cashback for one order, in minor units (cents)',
            '--cashback-refund-window-days', 'Days during which a refund takes cashback back',
            '--cashback-expiry-days', 'Days until cashback expires',
            '--live-stats-default', 'Show live statistics by default',
            '--no-live-stats-default', 'Not: Show live statistics by default',
            '--discord-url', 'Invitation to the Discord server',
            '--maintenance-message', 'Text shown while the store is closed',
            '--social', 'Social profile of the store, name=address',
            '--checkout-coupon-field', 'Offer a coupon field at checkout',
            '--no-checkout-coupon-field', 'Not: Offer a coupon field at checkout',
            '--checkout-terms-required', 'Require consent to the terms',
            '--no-checkout-terms-required', 'Not: Require consent to the terms',
            '--checkout-terms-url', 'Web address of the terms',
            '--checkout-newsletter-opt-in', 'Offer the newsletter at checkout',
            '--no-checkout-newsletter-opt-in', 'Not: Offer the newsletter at checkout',
            '--checkout-require-email-verification-for-delivery', 'Deliver to verified e-mail addresses only',
            '--no-checkout-require-email-verification-for-delivery', 'Not: Deliver to verified e-mail addresses only',
            '--checkout-reservation-minutes', 'Minutes that a cart keeps its stock',
            '--tax-rate-bp', 'Tax rate in basis points (1900 is 19 %)',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'blog' = @(
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'blog create' = @(
            '--title', 'Title of the post',
            '--content-md', 'Text of the post, in Markdown',
            '--content-file', 'The same from a file; - reads standard input',
            '--slug', 'Short name of the post in its address',
            '--excerpt', 'Summary of the post, shown in lists',
            '--cover-image-id', 'Cover image of the post (UUID)',
            '--tags', 'Tags of the post',
            '--featured-product-ids', 'Products shown with the post (UUIDs)',
            '--status', 'State of the post, for example draft',
            '--scheduled-at', 'When to publish the post, for example 2030-01-31T09:00:00Z',
            '--meta-title', 'Title of the post for search engines',
            '--meta-description', 'Description of the post for search engines',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--edit', 'Open the post in $VISUAL or $EDITOR before it is sent',
            '--allow-duplicate', 'Create it although it was created before',
            '--slugs-are-unique', 'Several files: the service refuses a slug that is taken, so a lost answer can be settled by it',
            '--retry-rate-limited', 'When the service says "too many requests", wait and send again',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'settings' = @(
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'settings show' = @(
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'settings save' = @(
            '--quiet-hours-enabled', 'Hold notifications back at night',
            '--no-quiet-hours-enabled', 'Not: Hold notifications back at night',
            '--quiet-hours-start', 'Start of the quiet hours, for example 22:00',
            '--quiet-hours-end', 'End of the quiet hours, for example 07:00',
            '--quiet-hours-timezone', 'Time zone of the quiet hours, for example Europe/Berlin',
            '--discovery-enabled', 'List the store in discovery',
            '--no-discovery-enabled', 'Not: List the store in discovery',
            '--discovery-summary', 'Summary of the store in discovery',
            '--discovery-categories', 'Categories of the store in discovery',
            '--showcase-enabled', 'Show the store in the showcase',
            '--no-showcase-enabled', 'Not: Show the store in the showcase',
            '--showcase-allow-critique', 'Allow critique in the showcase',
            '--no-showcase-allow-critique', 'Not: Allow critique in the showcase',
            '--showcase-summary', 'Summary of the store in the showcase',
            '--mobile-privacy-hide-revenue', 'Hide revenue on phones',
            '--no-mobile-privacy-hide-revenue', 'Not: Hide revenue on phones',
            '--mobile-privacy-hide-order-values', 'Hide order values on phones',
            '--no-mobile-privacy-hide-order-values', 'Not: Hide order values on phones',
            '--mobile-privacy-require-unlock', 'Ask phones to unlock first',
            '--no-mobile-privacy-require-unlock', 'Not: Ask phones to unlock first',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--undo', 'Put back the settings from before this change, an id of `storectl history list`',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'settings diff' = @(
            '--quiet-hours-enabled', 'Hold notifications back at night',
            '--no-quiet-hours-enabled', 'Not: Hold notifications back at night',
            '--quiet-hours-start', 'Start of the quiet hours, for example 22:00',
            '--quiet-hours-end', 'End of the quiet hours, for example 07:00',
            '--quiet-hours-timezone', 'Time zone of the quiet hours, for example Europe/Berlin',
            '--discovery-enabled', 'List the store in discovery',
            '--no-discovery-enabled', 'Not: List the store in discovery',
            '--discovery-summary', 'Summary of the store in discovery',
            '--discovery-categories', 'Categories of the store in discovery',
            '--showcase-enabled', 'Show the store in the showcase',
            '--no-showcase-enabled', 'Not: Show the store in the showcase',
            '--showcase-allow-critique', 'Allow critique in the showcase',
            '--no-showcase-allow-critique', 'Not: Allow critique in the showcase',
            '--showcase-summary', 'Summary of the store in the showcase',
            '--mobile-privacy-hide-revenue', 'Hide revenue on phones',
            '--no-mobile-privacy-hide-revenue', 'Not: Hide revenue on phones',
            '--mobile-privacy-hide-order-values', 'Hide order values on phones',
            '--no-mobile-privacy-hide-order-values', 'Not: Hide order values on phones',
            '--mobile-privacy-require-unlock', 'Ask phones to unlock first',
            '--no-mobile-privacy-require-unlock', 'Not: Ask phones to unlock first',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--exit-code', 'End with 6 where the settings differ',
            '--fields', 'Print only these fields (implies --json)'
        )
        'settings edit' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'disputes' = @(
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'disputes show' = @(
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'disputes open' = @(
            '--kind', 'Kind of the dispute (default payment)',
            '--reason', 'Why the dispute is opened',
            '--reason-file', 'The same from a file; - reads standard input',
            '--idempotency-key', 'Key under which the service applies this request once',
            '--order-id', 'Order in dispute (UUID)',
            '--buyer-email', 'E-mail address of the buyer',
            '--provider-case-id', 'Case number of the payment provider',
            '--risk-signal', 'Risk signal of the dispute, name=value',
            '--deadline-at', 'Time by which to answer the dispute, for example 2030-01-31T09:00:00Z',
            '--appeal-deadline-at', 'Time by which to appeal the dispute, for example 2030-02-07T09:00:00Z',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--idempotency-from', 'Make the idempotency key from the run of the CI job, so that running it again adds nothing (STORECTL_CI_JOB tells several in one job apart)',
            '--new', 'Do not go on with an open attempt of the same command',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'disputes decide' = @(
            '--status', 'Outcome of the dispute, for example won',
            '--resolution', 'Why the dispute is decided so',
            '--resolution-file', 'The same from a file; - reads standard input',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--from', 'Record many: CSV with the columns disputeId,status,resolution, or JSON lines; - reads stdin',
            '--receipt', 'Receipt of --from (default FILE.receipt.jsonl), which a later run goes on from',
            '--expect-status', 'Decide only from this status (default open)',
            '--confirm', 'Go ahead without asking: the same id again, or with --from the number',
            '--retry-rate-limited', 'When the service says "too many requests", wait and send again',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'backup' = @(
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'backup create' = @(
            '--label', 'Name of the backup',
            '--sections', 'Sections to back up, for example store',
            '--idempotency-key', 'Key under which the service applies this request once',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--idempotency-from', 'Make the idempotency key from the run of the CI job, so that running it again adds nothing (STORECTL_CI_JOB tells several in one job apart)',
            '--new', 'Do not go on with an open attempt of the same command',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'backup restore' = @(
            '--sections', 'Sections to restore, for example store',
            '--idempotency-key', 'Key under which the service applies this request once',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--no-safety-backup', 'Do not take a safety backup first',
            '--confirm', 'Go ahead without asking: the same id again',
            '--idempotency-from', 'Make the idempotency key from the run of the CI job, so that running it again adds nothing (STORECTL_CI_JOB tells several in one job apart)',
            '--new', 'Do not go on with an open attempt of the same command',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'reclaim' = @(
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'reclaim appeal' = @(
            '--text', 'Text of the appeal',
            '--text-file', 'The same from a file; - reads standard input',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--resubmit', 'Appeal although this notice was appealed before',
            '--confirm', 'Go ahead without asking: the same id again',
            '--retry-rate-limited', 'When the service says "too many requests", wait and send again',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'notify' = @(
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'notify add-endpoint' = @(
            '--kind', 'Kind of the endpoint (default discord)',
            '--name', 'Name of the endpoint',
            '--url', 'Web address that notifications are sent to',
            '--events', 'Events to send notifications of, for example feedback_digest',
            '--enabled', 'Send notifications to this endpoint',
            '--no-enabled', 'Not: Send notifications to this endpoint',
            '--discord-template-title', 'Title of the Discord message',
            '--discord-template-description', 'Text of the Discord message',
            '--discord-template-color', 'Colour of the Discord message, for example #0a7cff',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--allow-duplicate', 'Add it although it was added before',
            '--retry-rate-limited', 'When the service says "too many requests", wait and send again',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'notify mark-read' = @(
            '--before', 'Mark read what came before this time, for example 2030-01-31T09:00:00Z',
            '--set', 'Send any field: --set a.b=1 (JSON where it parses as JSON, else text)',
            '--from-file', 'Send a JSON or YAML object; - reads standard input',
            '--all', 'Mark all notifications',
            '--output-file', 'Also write the answer to a file, as JSON; it is there whole or not at all',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'history' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'history list' = @(
            '--operation', 'Only this operation, for example backup.create',
            '--state', 'Only this state: prepared, sent, applied, rejected, not_sent, unknown',
            '--limit', 'At most so many (default 50)',
            '--fields', 'Print only these fields (implies --json)'
        )
        'history show' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'history prune' = @(
            '--older-than', 'For example 90d, 12w or 36h',
            '--fields', 'Print only these fields (implies --json)'
        )
        'resume' = @(
            '--even-if-old', 'Send again although the service may have forgotten the key (after 20 hours), or the same was changed since',
            '--mark', 'Send nothing: you looked at the store, and it is applied or not-applied',
            '--fields', 'Print only these fields (implies --json)'
        )
        'auth' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'auth login' = @(
            '--with-key', 'Read the key from standard input',
            '--fields', 'Print only these fields (implies --json)'
        )
        'auth logout' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'auth status' = @(
            '--offline', 'Do not try the key',
            '--fields', 'Print only these fields (implies --json)'
        )
        'profile' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'profile list' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'profile use' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'profile show' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'profile set' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'profile remove' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'api' = @(
            '--field', 'Field of the body: a=1, in an object a.b=1 or a[b]=1, in a list a[]=1; of GET and HEAD the query',
            '-f', 'Field of the body: a=1, in an object a.b=1 or a[b]=1, in a list a[]=1; of GET and HEAD the query',
            '--input', 'Send the JSON of this file as it is; - reads standard input',
            '--include', 'Print status and headers of the answer before its body',
            '-i', 'Print status and headers of the answer before its body',
            '--new', 'Do not go on with an open attempt of the same change',
            '--retry-rate-limited', 'When the service says "too many requests", wait and send again',
            '--fields', 'Print only these fields (implies --json)',
            '--dry-run', 'Print the request that would be sent, and send nothing'
        )
        'doctor' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'demo' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'demo info' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'demo reset' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'service' = @(
            '--fields', 'Print only these fields (implies --json)'
        )
        'service start' = @(
            '--host', 'Address to listen on (default 127.0.0.1)',
            '--port', 'Port to listen on (default 4010; 0 takes a free one)',
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--rate-limit', 'Requests a second for each key, twice as many at once (default 10; 0 for no limit)',
            '--no-delivery', 'Send nothing to the endpoints: another process does',
            '--delivery-sink', 'Send everything to this receiver on this machine instead of Discord, for tests',
            '--fields', 'Print only these fields (implies --json)'
        )
        'service create-store' = @(
            '--name', 'Name of the store',
            '--slug', 'Short name in addresses (default: from the name)',
            '--currency', 'Currency (default EUR)',
            '--timezone', 'Time zone (default UTC)',
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--fields', 'Print only these fields (implies --json)'
        )
        'service create-key' = @(
            '--preset', 'Rights: owner (default), ci-backup or support',
            '--scopes', 'Rights one by one, with commas, instead of a preset',
            '--label', 'Name for people',
            '--expires-in-days', 'Days until it ends (default: never)',
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--fields', 'Print only these fields (implies --json)'
        )
        'service keys' = @(
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--fields', 'Print only these fields (implies --json)'
        )
        'service rotate-key' = @(
            '--overlap', 'How long the old key stays valid, such as 30m, 24h (default) or 7d; 0h ends it now',
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--fields', 'Print only these fields (implies --json)'
        )
        'service revoke-key' = @(
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--fields', 'Print only these fields (implies --json)'
        )
        'service emit' = @(
            '--event', 'Event: feedback_digest or reclaim_noticed',
            '--data', 'Value for the text; may be repeated',
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--fields', 'Print only these fields (implies --json)'
        )
        'service deliveries' = @(
            '--state', 'Only this state: pending, held, delivered, dead',
            '--limit', 'At most so many (default 50)',
            '--all-dead', 'Retry all dead deliveries, of the store if --store is given',
            '--database', 'File, or postgres:// URL (default: service.db in the state folder)',
            '--fields', 'Print only these fields (implies --json)'
        )
        '*' = @(
            '--profile', 'Stored profile to use',
            '--store', 'Store to work on',
            '--base-url', 'Address of the service',
            '--demo', 'Use the example store, which needs no account (same as --profile demo)',
            '--json', 'Print the answer as JSON',
            '--quiet', 'Print only the id that the command produced',
            '-q', 'Print only the id that the command produced',
            '--no-input', 'Never ask; what is missing is an error',
            '--no-pager', 'Print long output at once, not through a pager',
            '--timeout', 'Give up after this time (default 180), or when standard input is silent for so long',
            '--debug', 'Show the HTTP exchange on stderr, without the key',
            '--help', 'Show help',
            '-h', 'Show help'
        )
    }
    # By path and flag, and by path and the number of an argument: how it is completed. Nothing for any text, @kind for
    # what is looked up, words, and a comma before the words of a list. Switches are not here.
    Completions = @{
        ' --fields' = ''
        'store --fields' = ''
        'store update --name' = ''
        'store update --slug' = ''
        'store update --default-currency' = ''
        'store update --timezone' = ''
        'store update --support-email' = ''
        'store update --description' = ''
        'store update --logo-image-id' = ''
        'store update --favicon-image-id' = ''
        'store update --brand-color' = ''
        'store update --thank-you-default' = ''
        'store update --cashback-bp' = ''
        'store update --cashback-cap-minor' = ''
        'store update --cashback-refund-window-days' = ''
        'store update --cashback-expiry-days' = ''
        'store update --discord-url' = ''
        'store update --maintenance-message' = ''
        'store update --social' = ''
        'store update --checkout-terms-url' = ''
        'store update --checkout-reservation-minutes' = ''
        'store update --tax-rate-bp' = ''
        'store update --set' = ''
        'blog --fields' = ''
        'blog create --title' = ''
        'blog create --content-md' = ''
        'blog create --slug' = ''
        'blog create --excerpt' = ''
        'blog create --cover-image-id' = ''
        'blog create --tags' = ''
        'blog create --featured-product-ids' = ''
        'blog create --scheduled-at' = ''
        'blog create --meta-title' = ''
        'blog create --meta-description' = ''
        'blog create --set' = ''
        'settings --fields' = ''
        'settings save --quiet-hours-start' = ''
        'settings save --quiet-hours-end' = ''
        'settings save --quiet-hours-timezone' = ''
        'settings save --discovery-summary' = ''
        'settings save --discovery-categories' = ''
        'settings save --showcase-summary' = ''
        'settings save --set' = ''
        'settings diff --quiet-hours-start' = ''
        'settings diff --quiet-hours-end' = ''
        'settings diff --quiet-hours-timezone' = ''
        'settings diff --discovery-summary' = ''
        'settings diff --discovery-categories' = ''
        'settings diff --showcase-summary' = ''
        'settings diff --set' = ''
        'settings diff --fields' = ''
        'settings edit --fields' = ''
        'disputes --fields' = ''
        'disputes open --reason' = ''
        'disputes open --idempotency-key' = ''
        'disputes open --order-id' = ''
        'disputes open --buyer-email' = ''
        'disputes open --provider-case-id' = ''
        'disputes open --risk-signal' = ''
        'disputes open --deadline-at' = ''
        'disputes open --appeal-deadline-at' = ''
        'disputes open --set' = ''
        'disputes decide --resolution' = ''
        'disputes decide --set' = ''
        'backup --fields' = ''
        'backup create --label' = ''
        'backup create --idempotency-key' = ''
        'backup create --set' = ''
        'backup restore --idempotency-key' = ''
        'backup restore --set' = ''
        'backup restore --fields' = ''
        'reclaim --fields' = ''
        'reclaim appeal --text' = ''
        'reclaim appeal --set' = ''
        'reclaim appeal --fields' = ''
        'notify --fields' = ''
        'notify add-endpoint --name' = ''
        'notify add-endpoint --url' = ''
        'notify add-endpoint --discord-template-title' = ''
        'notify add-endpoint --discord-template-description' = ''
        'notify add-endpoint --discord-template-color' = ''
        'notify add-endpoint --set' = ''
        'notify mark-read --before' = ''
        'notify mark-read --set' = ''
        'history --fields' = ''
        'history list --limit' = ''
        'history list --fields' = ''
        'history show --fields' = ''
        'history prune --older-than' = ''
        'history prune --fields' = ''
        'resume --fields' = ''
        'auth --fields' = ''
        'auth login --fields' = ''
        'auth logout --fields' = ''
        'auth status --fields' = ''
        'profile --fields' = ''
        'profile list --fields' = ''
        'profile use --fields' = ''
        'profile show --fields' = ''
        'profile set --fields' = ''
        'profile remove --fields' = ''
        'api --field' = ''
        'api -f' = ''
        'api --fields' = ''
        'doctor --fields' = ''
        'demo --fields' = ''
        'demo info --fields' = ''
        'demo reset --fields' = ''
        'service --fields' = ''
        'service start --host' = ''
        'service start --port' = ''
        'service start --database' = ''
        'service start --rate-limit' = ''
        'service start --delivery-sink' = ''
        'service start --fields' = ''
        'service create-store --name' = ''
        'service create-store --slug' = ''
        'service create-store --currency' = ''
        'service create-store --timezone' = ''
        'service create-store --database' = ''
        'service create-store --fields' = ''
        'service create-key --label' = ''
        'service create-key --expires-in-days' = ''
        'service create-key --database' = ''
        'service create-key --fields' = ''
        'service keys --database' = ''
        'service keys --fields' = ''
        'service rotate-key --overlap' = ''
        'service rotate-key --database' = ''
        'service rotate-key --fields' = ''
        'service revoke-key --database' = ''
        'service revoke-key --fields' = ''
        'service emit --data' = ''
        'service emit --database' = ''
        'service emit --fields' = ''
        'service deliveries --limit' = ''
        'service deliveries --database' = ''
        'service deliveries --fields' = ''
        '* --store' = ''
        '* --base-url' = ''
        '* --timeout' = ''
        'notify mark-read *' = ''
        'api 1' = ''
        'service rotate-key 0' = ''
        'service revoke-key 0' = ''
        'service deliveries 1' = ''
        'store update --from-file' = '@file'
        'store update --output-file' = '@file'
        'blog create --content-file' = '@file'
        'blog create --from-file' = '@file'
        'blog create --output-file' = '@file'
        'settings show --output-file' = '@file'
        'settings save --from-file' = '@file'
        'settings save --output-file' = '@file'
        'settings diff --from-file' = '@file'
        'disputes show --output-file' = '@file'
        'disputes open --reason-file' = '@file'
        'disputes open --from-file' = '@file'
        'disputes open --output-file' = '@file'
        'disputes decide --resolution-file' = '@file'
        'disputes decide --from-file' = '@file'
        'disputes decide --from' = '@file'
        'disputes decide --receipt' = '@file'
        'disputes decide --output-file' = '@file'
        'backup create --from-file' = '@file'
        'backup create --output-file' = '@file'
        'backup restore --from-file' = '@file'
        'backup restore --output-file' = '@file'
        'reclaim appeal --text-file' = '@file'
        'reclaim appeal --from-file' = '@file'
        'reclaim appeal --output-file' = '@file'
        'notify add-endpoint --from-file' = '@file'
        'notify add-endpoint --output-file' = '@file'
        'notify mark-read --from-file' = '@file'
        'notify mark-read --output-file' = '@file'
        'api --input' = '@file'
        'blog create *' = '@file'
        'store update --fields' = ',id organisationId name slug status defaultCurrency timezone settings settings.supportEmail settings.description settings.logoImageId settings.faviconImageId settings.brandColor settings.thankYouDefault settings.cashbackBp settings.cashbackCapMinor settings.cashbackRefundWindowDays settings.cashbackExpiryDays settings.liveStatsDefault settings.discordUrl settings.maintenanceMessage settings.socials settings.checkout settings.checkout.couponField settings.checkout.termsRequired settings.checkout.termsUrl settings.checkout.newsletterOptIn settings.checkout.requireEmailVerificationForDelivery settings.checkout.reservationMinutes settings.tax settings.tax.rateBp url createdAt'
        'blog create --status' = 'draft scheduled published'
        'blog create --fields' = ',id title slug excerpt contentMd coverImageId coverUrl coverImageUrl tags featuredProductIds status effectiveStatus publishedAt scheduledAt metaTitle metaDescription viewCount createdAt updatedAt'
        'settings show --fields' = ',quietHours quietHours.enabled quietHours.start quietHours.end quietHours.timezone templates discovery discovery.enabled discovery.summary discovery.categories showcase showcase.enabled showcase.allowCritique showcase.summary mobilePrivacy mobilePrivacy.hideRevenue mobilePrivacy.hideOrderValues mobilePrivacy.requireUnlock storeId env updatedAt'
        'settings save --fields' = ',quietHours quietHours.enabled quietHours.start quietHours.end quietHours.timezone templates discovery discovery.enabled discovery.summary discovery.categories showcase showcase.enabled showcase.allowCritique showcase.summary mobilePrivacy mobilePrivacy.hideRevenue mobilePrivacy.hideOrderValues mobilePrivacy.requireUnlock storeId env updatedAt'
        'settings save --undo' = '@record'
        'history show 0' = '@record'
        'disputes show --fields' = ',record record.id record.storeId record.env record.orderId record.buyerEmail record.providerCaseId record.kind record.status record.reason record.riskSignals record.deadlineAt record.appealDeadlineAt record.resolution record.idempotencyKey record.createdAt record.updatedAt evidence evidence.id evidence.kind evidence.label evidence.storageKey evidence.textValue evidence.submittedBy evidence.createdAt'
        'disputes open --kind' = 'payment'
        'disputes open --idempotency-from' = 'ci'
        'backup create --idempotency-from' = 'ci'
        'backup restore --idempotency-from' = 'ci'
        'disputes open --fields' = ',id storeId env orderId buyerEmail providerCaseId kind status reason riskSignals deadlineAt appealDeadlineAt resolution idempotencyKey createdAt updatedAt'
        'disputes decide --fields' = ',id storeId env orderId buyerEmail providerCaseId kind status reason riskSignals deadlineAt appealDeadlineAt resolution idempotencyKey createdAt updatedAt'
        'disputes decide --status' = 'won lost withdrawn'
        'disputes decide --expect-status' = 'open won lost withdrawn'
        'disputes decide --confirm' = '@dispute'
        'disputes show 0' = '@dispute'
        'disputes decide 0' = '@dispute'
        'backup create --sections' = ',store blog settings endpoints'
        'backup restore --sections' = ',store blog settings endpoints'
        'backup create --fields' = ',id version label sections createdAt'
        'backup restore --confirm' = '@backup'
        'backup restore 0' = '@backup'
        'reclaim appeal --confirm' = '@reclaim'
        'reclaim appeal 0' = '@reclaim'
        'notify add-endpoint --kind' = 'discord'
        'notify add-endpoint --events' = ',store_updated post_created dispute_opened dispute_decided settings_updated backup_created backup_restored reclaim_noticed reclaim_appealed feedback_digest'
        'notify add-endpoint --fields' = ',id kind name url events enabled discordTemplate discordTemplate.title discordTemplate.description discordTemplate.color createdAt'
        'notify mark-read --fields' = ',ok'
        'history list --operation' = 'store.update blog.create disputes.decide settings.save disputes.open backup.create backup.restore reclaim.appeal notify.add-endpoint notify.mark-read api'
        'history list --state' = 'prepared sent applied rejected not_sent unknown'
        'resume --mark' = 'applied not-applied'
        'service create-key --preset' = 'owner ci-backup support'
        'service create-key --scopes' = ',store:write blog:write settings:read settings:write disputes:read disputes:write disputes:decide backups:write backups:restore reclaims:appeal notifications:write'
        'service emit --event' = 'feedback_digest reclaim_noticed'
        'service deliveries --state' = 'pending held delivered dead'
        '* --profile' = '@profile'
        'profile use 0' = '@profile'
        'profile show 0' = '@profile'
        'profile set 0' = '@profile'
        'profile remove 0' = '@profile'
        'resume 0' = '@open-record'
        'api 0' = 'GET HEAD POST PUT PATCH DELETE'
        'completion 0' = 'bash zsh fish powershell'
        'service deliveries 0' = 'list retry'
    }
}

Register-ArgumentCompleter -Native -CommandName storectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $tables = $global:StorectlTables
    $current = [string]$wordToComplete

    $valueOf = {
        param([string]$where, [string]$name)
        foreach ($key in @("$where $name", "* $name", "$where *")) {
            if ($key -eq "$where *" -and $name -notmatch '^\d+$') { continue }
            if ($tables.Completions.ContainsKey($key)) { return $tables.Completions[$key] }
        }
        return '-'
    }
    $result = {
        param([string]$text, [string]$shown, [string]$description)
        if ($description -eq '') { $description = $shown }
        [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $description)
    }
    $offerPairs = {
        param($pairs)
        for ($index = 0; $index -lt $pairs.Count; $index += 2) {
            if ($pairs[$index].StartsWith($current, [System.StringComparison]::Ordinal)) {
                & $result $pairs[$index] $pairs[$index] $pairs[$index + 1]
            }
        }
    }
    $offerFlags = {
        param([string]$where)
        if ($tables.Flags.ContainsKey($where)) { & $offerPairs $tables.Flags[$where] }
        & $offerPairs $tables.Flags['*']
    }

    # What stands before the word at the cursor, without quotes.
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($current -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
        ForEach-Object { $_.Extent.Text.Trim("'", '"') })

    $offerValue = {
        param([string]$value, [string]$text, [string]$before)
        if ($value -eq '' -or $value -eq '-') { return }
        if ($value -eq '@file') {
            foreach ($file in Get-ChildItem -Path "$text*" -ErrorAction SilentlyContinue) {
                $name = (Split-Path -Path $text -Parent -ErrorAction SilentlyContinue)
                $shown = if ($name) { Join-Path $name $file.Name } else { $file.Name }
                $quoted = if ($shown -match '\s') { "'$shown'" } else { $shown }
                & $result "$before$quoted" $file.Name $shown
            }
            return
        }
        if ($value.StartsWith('@')) {
            $program = $commandAst.GetCommandName()
            foreach ($line in @(& $program __complete $value.Substring(1) @typed 2>$null)) {
                $id, $description = $line -split "`t", 2
                if ($id.StartsWith($text, [System.StringComparison]::Ordinal)) {
                    & $result "$before$id" $id $description
                }
            }
            return
        }
        $chosen = ''
        if ($value.StartsWith(',')) {
            $value = $value.Substring(1)
            $comma = $text.LastIndexOf(',')
            if ($comma -ge 0) {
                $chosen = $text.Substring(0, $comma + 1)
                $text = $text.Substring($comma + 1)
            }
        }
        foreach ($word in $value -split ' ') {
            if ($chosen.TrimEnd(',') -split ',' -ccontains $word) { continue }
            if ($word.StartsWith($text, [System.StringComparison]::Ordinal)) { & $result "$before$chosen$word" $word '' }
        }
    }

    $where = ''
    $position = 0
    $pending = ''
    $ended = $false
    foreach ($word in $typed) {
        if ($pending -ne '') { $pending = '' }
        elseif (-not $ended -and $word -eq '--') { $ended = $true }
        elseif (-not $ended -and $word -like '--*=*') { continue }
        elseif (-not $ended -and $word -like '-?*') {
            if ((& $valueOf $where $word) -ne '-') { $pending = $word }
        }
        elseif ($tables.Commands.ContainsKey($where) -and $tables.Commands[$where] -ccontains $word) {
            $where = "$where $word".Trim()
        }
        elseif ($where -ne '' -or $word -ne 'help') { $position += 1 }
    }

    if ($pending -ne '') { & $offerValue (& $valueOf $where $pending) $current '' }
    elseif (-not $ended -and $current -like '--*=*') {
        $flag, $text = $current -split '=', 2
        & $offerValue (& $valueOf $where $flag) $text "$flag="
    }
    elseif (-not $ended -and $current -like '-*') { & $offerFlags $where }
    elseif ($tables.Commands.ContainsKey($where)) {
        if ($position -eq 0) { & $offerPairs $tables.Commands[$where] }
    }
    else {
        $value = & $valueOf $where "$position"
        if ($value -ne '-') { & $offerValue $value $current '' }
        elseif (-not $ended -and $current -eq '') { & $offerFlags $where }
    }
}
