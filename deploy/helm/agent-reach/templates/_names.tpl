{{- define "reach.name" -}}
{{- if contains "agent-reach" .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-agent-reach" .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "reach.selector" -}}
app.kubernetes.io/name: agent-reach
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "reach.labels" -}}
{{ include "reach.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "reach.storeSecret" -}}
{{- .Values.store.existingSecret | default (printf "%s-store" (include "reach.name" .)) -}}
{{- end -}}
