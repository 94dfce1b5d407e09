package daemon

import (
	"github.com/prometheus/client_golang/prometheus"

	"orchestrator/internal/webhook/sending"
)

// webhookMetrics shows how each webhook stands, of which there are few.
type webhookMetrics struct{ figures func() []sending.Figures }

func webhookMetric(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("orchestrator_webhook_"+name, help, []string{"webhook"}, nil)
}

var (
	webhookSent    = webhookMetric("sent_total", "Messages that a webhook took.")
	webhookFailed  = webhookMetric("failed_total", "Tries to tell a webhook that failed.")
	webhookDead    = webhookMetric("dead_total", "Messages to a webhook that were given up.")
	webhookLetters = webhookMetric("dead_letters", "Messages given up and not sent again.")
	webhookBehind  = webhookMetric("behind_records", "Records that a webhook has not passed.")
	webhookFailing = webhookMetric("failing", "1 while the last try of a webhook failed.")
)

// Describe makes webhookMetrics a prometheus.Collector.
func (m webhookMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{webhookSent, webhookFailed, webhookDead, webhookLetters, webhookBehind,
		webhookFailing} {
		to <- d
	}
}

// Collect makes webhookMetrics a prometheus.Collector.
func (m webhookMetrics) Collect(to chan<- prometheus.Metric) {
	for _, f := range m.figures() {
		counter := func(d *prometheus.Desc, n uint64) {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), f.Name)
		}
		gauge := func(d *prometheus.Desc, n uint64) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), f.Name)
		}
		counter(webhookSent, f.Sent)
		counter(webhookFailed, f.Failed)
		counter(webhookDead, f.Dead)
		gauge(webhookLetters, f.Letters)
		gauge(webhookBehind, f.Behind)
		failing := uint64(0)
		if f.Failing {
			failing = 1
		}
		gauge(webhookFailing, failing)
	}
}
